"""What takes long to make: the first worker of pytest-xdist that needs it makes it, and each gets a copy.

In: a name, and a function that fills a folder. Out: a folder of the worker's own with the same content.
"""

from __future__ import annotations

import os
import subprocess
from fcntl import LOCK_EX, flock
from pathlib import Path
from typing import TYPE_CHECKING

from tests.support.command_client import session_folder

if TYPE_CHECKING:
    from collections.abc import Callable


def copy_of(name: str, folder: Path, make: Callable[[Path], object]) -> Path:
    """Fill *folder*, made if need be, with what *make* put into another one: nothing of it may tell which."""
    made = session_folder() / name
    with made.with_suffix(".lock").open("w") as lock:
        flock(lock, LOCK_EX)
        if not made.exists():
            begun = made.with_suffix(f".{os.getpid()}")
            begun.mkdir()
            make(begun)
            begun.rename(made)
    folder.mkdir(exist_ok=True)
    subprocess.run(["cp", "-a", f"{made}/.", str(folder)], check=True)  # the owners of the files stay
    return folder
