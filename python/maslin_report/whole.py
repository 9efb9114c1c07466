"""The one way in which the project's scripts write files: as src/files does for its programs."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path


def own_descriptor(path: str) -> int | None:
    """Gives which open file of this process a path names, as /dev/stdout does; None for other paths."""
    for _ in range(40):
        if not os.path.islink(path):
            return None
        folder = os.path.realpath(os.path.dirname(path) or ".")
        if folder == f"/proc/{os.getpid()}/fd":
            return int(os.path.basename(path))
        path = os.path.join(folder, os.readlink(path))
    return None


def write_whole(path: Path, text: str) -> None:
    """Replaces a file, whole or not at all. Links are followed; a replaced file keeps its mode, one that is write-protected
    stays. A device, a pipe or an open descriptor is written directly. Raises OSError: no permission, a folder, a full disk."""
    descriptor = own_descriptor(str(path))
    if descriptor is not None:
        with open(os.dup(descriptor), "w", encoding="utf-8") as stream:
            stream.write(text)
        return
    target = Path(os.path.realpath(path))
    there = target.stat() if target.exists() else None
    if there and stat.S_ISBLK(there.st_mode):
        raise OSError(errno.EEXIST, "it is a disk, expected a file", str(path))
    if there and stat.S_ISDIR(there.st_mode):
        raise IsADirectoryError(errno.EISDIR, "it is a folder, expected a file", str(path))
    if there and not stat.S_ISREG(there.st_mode):
        with target.open("w", encoding="utf-8") as stream:
            stream.write(text)
        return
    if there and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    partial = target.with_name(f".{target.name[:200]}.{os.urandom(4).hex()}.part")
    try:
        with partial.open("x", encoding="utf-8") as file:
            if there:
                os.fchmod(file.fileno(), stat.S_IMODE(there.st_mode))
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(target)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
