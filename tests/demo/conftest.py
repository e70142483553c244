"""A working copy of the demo site, and its server."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rori_spiders.demo.server import serve_folder
from rori_spiders.demo.working_copy import prepare_site

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return prepare_site(tmp_path / "site")


@pytest.fixture
def base(folder: Path) -> Iterator[str]:
    with serve_folder(folder) as url:
        yield url
