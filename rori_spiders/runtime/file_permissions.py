"""Who may read what this process writes: its umask, and whether a path is open to every user of the machine."""

import os
import stat
from pathlib import Path


def restrict_new_files(umask: str) -> None:
    """From now on files and folders of this process and its children lack the rights in *umask*, such as ``0077``.

    SQLite gives its ``-wal`` and ``-shm`` the rights of the database, which it creates under this mask, too.
    """
    os.umask(int(umask, 8))


def is_open_to_others(path: Path) -> bool:
    """Whether users outside of the owner's group can read or change *path*; False where it does not exist."""
    try:
        rights = path.stat().st_mode & stat.S_IRWXO
        return bool(rights) and all(folder.stat().st_mode & stat.S_IXOTH for folder in path.parents)
    except OSError:
        return False
