"""What is written is closed to other users of the machine: SQLite's files beside the ledger, locks, staged pages."""

from __future__ import annotations

import os
import stat
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rori_spiders.ledger.database import open_ledger
from rori_spiders.runtime.file_permissions import is_open_to_others, restrict_new_files
from rori_spiders.staging.store_factory import open_store
from tests.support.databases import open_empty_ledger

if TYPE_CHECKING:
    from collections.abc import Iterator

_UNITS = Path(__file__).parents[2] / "docs" / "systemd"


@pytest.fixture
def umask() -> Iterator[None]:
    """The usual umask of a system, which lets everybody read; put back at the end."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def rights(path: Path) -> str:
    return f"{stat.S_IMODE(path.stat().st_mode):o}"


def rights_below(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): rights(path) for path in folder.rglob("*")}


def test_new_ledger_and_its_log_are_for_their_user(umask: None, tmp_path: Path) -> None:
    restrict_new_files("0077")
    url = f"sqlite:///{tmp_path}/collect/ledger.db"
    with closing(open_ledger(url)) as ledger, ledger.begin() as connection:
        connection.exec_driver_sql("DELETE FROM sessions")
        found = rights_below(tmp_path)
    assert {"collect/ledger.db", "collect/ledger.db-wal", "collect/ledger.db-shm"} <= set(found)
    assert found.pop("collect") == "700"
    assert set(found.values()) == {"600"}


@pytest.mark.parametrize(
    ("mask", "folder", "file"), [("0077", "700", "600"), ("0027", "750", "640"), ("0007", "770", "660")]
)
def test_staged_files_have_rights_of_umask(umask: None, tmp_path: Path, mask: str, folder: str, file: str) -> None:
    restrict_new_files(mask)
    open_store(str(tmp_path / "staged")).put_object(b"text")
    found = list((tmp_path / "staged").rglob("*"))
    assert {rights(path) for path in found if path.is_dir()} == {folder}
    assert {rights(path) for path in found if path.is_file()} == {file}


def test_umask_without_setting_leaves_others_out(umask: None, tmp_path: Path) -> None:
    """A program that uses the collector as a library keeps its own umask."""
    open_store(str(tmp_path / "staged")).put_object(b"text")
    assert not [path for path in (tmp_path / "staged").rglob("*") if path.stat().st_mode & stat.S_IWOTH]


def test_is_open_to_others_closed_folder_closes_files(umask: None, tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    file = tmp_path / "ledger.db"
    open_empty_ledger(file).close()
    file.chmod(0o644)
    reachable = all(folder.stat().st_mode & stat.S_IXOTH for folder in tmp_path.parents)
    assert is_open_to_others(file) == reachable
    tmp_path.chmod(0o750)
    assert not is_open_to_others(file)
    assert not is_open_to_others(tmp_path / "not-there")


@pytest.mark.parametrize("unit", sorted(_UNITS.glob("*.service")), ids=lambda path: path.name)
def test_systemd_unit_sets_umask(unit: Path) -> None:
    assert "\nUMask=0077\n" in unit.read_text(encoding="utf-8")
