# SPDX-License-Identifier: MIT
"""Reports missing packages in plain words.  A command that needs PyTorch imports this module first."""
import importlib.util
import os
import sys

DEBIAN = {"numpy": "python3-numpy", "torch": "python3-torch", "PIL": "python3-pil"}
PIP = {"numpy": "numpy", "torch": "torch", "PIL": "pillow"}
PACKAGES = "/usr/lib/python3/dist-packages"              # of Debian's own Python


def require(*names):
    """Ends the program and names what to install if one of these modules is missing."""
    missing = [name for name in names if importlib.util.find_spec(name) is None]
    if not missing:
        return
    lines = ["%s has no %s." % (sys.executable, " and no ".join({"torch": "PyTorch", "numpy": "NumPy", "PIL": "Pillow"}[name] for name in missing))]
    if all(os.path.isdir(os.path.join(PACKAGES, name)) for name in missing):
        lines.append("/usr/bin/python3 has: give the command with that instead of python3.")
    else:
        lines.append("Debian and Ubuntu: apt install %s libopenblas0-openmp, and give the command with /usr/bin/python3" % " ".join(map(DEBIAN.get, missing)))
        lines.append("Elsewhere:         %s -m pip install %s" % (sys.executable, " ".join(map(PIP.get, missing))))
    sys.exit("\n".join(lines))
