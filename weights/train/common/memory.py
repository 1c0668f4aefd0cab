"""A faster allocator, where it is installed (Debian package: libtcmalloc-minimal4): 5 to 10 % of a training step."""
import glob
import os
import sys

PLACES = ("/usr/lib/*/libtcmalloc_minimal.so.4", "/usr/lib*/libtcmalloc_minimal.so.4")


def prefer_tcmalloc():
    """Begins the program anew with it; NEXTPIXEL_MALLOC=plain does not."""
    found = sorted(path for place in PLACES for path in glob.glob(place))
    if not found or "tcmalloc" in os.environ.get("LD_PRELOAD", "") or os.environ.get("NEXTPIXEL_MALLOC") == "plain":
        return
    os.environ["LD_PRELOAD"] = (found[0] + " " + os.environ.get("LD_PRELOAD", "")).strip()
    os.execv(sys.executable, [sys.executable] + sys.argv)
