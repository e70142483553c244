"""Disks: how much is free, and whether one is across a network. Steps."""

from __future__ import annotations

import shutil
from pathlib import Path

MIB = 2**20
#: A page may need as much at once (stores/disk.py): jobs refuse to begin under it.
LEAST = 64 * MIB
#: Sixteen such pages: a person should look before a job refuses.
PLENTY = 16 * LEAST
_NETWORK = frozenset({"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "glusterfs", "lustre", "fuse.sshfs"})


def existing(path: Path) -> Path:
    """*path*, or the nearest folder above it that is there."""
    return next((one for one in (path, *path.parents) if one.exists()), Path("/"))


def free_bytes(path: Path) -> int:
    """What a user may still write where *path* is, or will be. Raises OSError."""
    return shutil.disk_usage(existing(path)).free


def file_system(path: Path) -> str:
    """The kind of the file system that holds *path*, such as ext4; "" where there is no /proc to tell."""
    try:
        mounts = Path("/proc/self/mounts").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    real = existing(path).resolve()
    kind, longest = "", -1
    for fields in map(str.split, mounts):
        at = Path(fields[1].replace("\\040", " "))
        if real.is_relative_to(at) and len(at.parts) >= longest:
            kind, longest = fields[2], len(at.parts)
    return kind


def is_network(kind: str) -> bool:
    return kind in _NETWORK
