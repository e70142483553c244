"""A working copy of the demo site, its server, and its port."""

from __future__ import annotations

import os
import tempfile
from fcntl import LOCK_EX, flock
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rori_spiders.terminal.demo.server import serve_folder
from rori_spiders.terminal.demo.settings import PORT
from rori_spiders.terminal.demo.working_copy import prepare_site

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def demo_port() -> Iterator[int]:
    """The port of `scrapy demo`, which its manifest names: for one file at a time, of whoever runs tests here."""
    with (Path(tempfile.gettempdir()) / f"rori-demo-{PORT}-{os.geteuid()}.lock").open("w") as lock:
        flock(lock, LOCK_EX)
        yield PORT


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return prepare_site(tmp_path / "site")


@pytest.fixture
def base(folder: Path) -> Iterator[str]:
    with serve_folder(folder) as url:
        yield url
