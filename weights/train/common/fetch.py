# SPDX-License-Identifier: MIT
"""Downloads a file from a URL and prints the progress. An interrupted download resumes; the file is kept only if its hash is the expected
hash."""
import errno
import hashlib
import os
import sys
import time
import urllib.error
import urllib.request

BLOCK = 1 << 16
SAY = 2.0                                # seconds between lines of progress
WAIT = 30.0                              # seconds without a byte before an attempt is abandoned
TRIES = 4


def digest_of(path, kind):
    found = hashlib.new(kind)
    with open(path, "rb") as f:
        for block in iter(lambda: f.read(1 << 20), b""):
            found.update(block)
    return found.hexdigest()


def checked(path, digest):
    """Returns whether the file matches `digest`, \"md5:...\" or \"sha256:...\"; \"\" matches any file."""
    kind, _, wanted = digest.partition(":")
    return not digest or digest_of(path, kind) == wanted


def megabytes(size):
    return "%.1f MB" % (size / 1e6) if size >= 1e5 else "%.1f KB" % (size / 1e3)


def read_into(path, url, first=0):
    """Makes one attempt to download the file, continuing after the bytes that are already in `path`. first: fetch only this many bytes from
    the beginning."""
    have = os.path.getsize(path) if os.path.exists(path) else 0
    if first and have >= first:
        return
    request = urllib.request.Request(url, headers={"User-Agent": "nextpixel"})
    if have or first:
        request.add_header("Range", "bytes=%d-%s" % (have, first - 1 if first else ""))
    with urllib.request.urlopen(request, timeout=WAIT) as answer:
        if answer.status != 206:         # the server ignored the range and sent the whole file from the beginning
            have = 0
        total, told = have + int(answer.headers.get("Content-Length") or 0), time.monotonic()
        with open(path, "ab" if have else "wb") as f:
            for block in iter(lambda: answer.read(BLOCK), b""):
                if first and f.tell() + len(block) >= first:
                    f.write(block[:first - f.tell()])
                    return
                f.write(block)
                if time.monotonic() - told > SAY:
                    told = time.monotonic()
                    print("  %s of %s" % (megabytes(f.tell()), megabytes(total) if total else "?"), flush=True)
        if total and os.path.getsize(path) < total:
            raise OSError("the connection ended after %s of %s" % (megabytes(os.path.getsize(path)), megabytes(total)))


def fetch(url, path, digest="", first=0):
    """Fetches url to path. The bytes first go to path.part, from which a later call resumes. Ends the program if the server does not send
    the file or sends a different one."""
    part = path + ".part"
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    for left in reversed(range(TRIES)):
        try:
            read_into(part, url, first)
            break
        except urllib.error.HTTPError as error:
            if error.code == 416:        # everything has arrived
                break
            sys.exit("%s: the server says %d %s" % (url, error.code, error.reason))
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                sys.exit("%s: %s. Make room; the same command continues where this one ended" % (os.path.relpath(part), error.strerror))
            if not left:
                sys.exit("%s: %s\nThe same command continues where this one ended." % (url, getattr(error, "reason", error)))
            time.sleep(1)
    if not checked(part, digest):
        os.remove(part)
        sys.exit("%s is not the expected file: its %s is not %s. It may be truncated, or changed at its origin; it was not kept." % (url, *digest.split(":")))
    os.replace(part, path)
