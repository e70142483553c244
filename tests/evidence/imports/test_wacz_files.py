"""WACZ files as py-wacz makes them, and such as were altered."""

from __future__ import annotations

import zipfile
from io import BytesIO
from typing import IO

import pytest

from rori_spiders.evidence.imports.records import ArchivedCapture, DamagedRecord, Record
from rori_spiders.evidence.imports.wacz_files import read_wacz
from rori_spiders.evidence.imports.warc_files import WarcReader
from rori_spiders.exceptions import UsageError
from tests.evidence.imports.samples import FIXTURES, MAX_BYTES, a_warc, law

PACKAGE = FIXTURES / "py-wacz.wacz"
MEMBER = "archive/wget.warc.gz"


def _read(file: IO[bytes]) -> list[Record]:
    return list(read_wacz(file, WarcReader(MAX_BYTES)))


def _with_member(data: bytes) -> BytesIO:
    """The package with another WARC file."""
    made = BytesIO()
    with zipfile.ZipFile(PACKAGE) as package, zipfile.ZipFile(made, "w") as altered:
        for name in package.namelist():
            altered.writestr(name, data if name == MEMBER else package.read(name))
    return made


def test_read_wacz_gives_the_captures_of_its_warc_file() -> None:
    with PACKAGE.open("rb") as file, (FIXTURES / "wget.warc.gz").open("rb") as warc:
        found, alone = _read(file), list(WarcReader(MAX_BYTES).read(warc))
    assert all(isinstance(one, ArchivedCapture) for one in found)
    assert [(one.url, one.record) for one in found] == [(one.url, f"{MEMBER} {one.record}") for one in alone]


def test_read_wacz_with_another_warc_file_names_it() -> None:
    damaged, capture = _read(_with_member(a_warc(("/a", law(1))).getvalue()))
    assert isinstance(damaged, DamagedRecord) and isinstance(capture, ArchivedCapture)
    assert damaged.record == MEMBER and "datapackage.json" in damaged.reason


def test_read_wacz_that_is_none_is_refused() -> None:
    empty = BytesIO()
    with zipfile.ZipFile(empty, "w") as package:
        package.writestr("datapackage.json", "{}")
    for file in (BytesIO(b"no zip"), empty):
        with pytest.raises(UsageError, match="not a WACZ file"):
            _read(file)
