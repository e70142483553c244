"""Folders of saved pages: which file was which URL, and when."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from rori_spiders.evidence.imports.folders import list_saved_files
from rori_spiders.evidence.imports.records import ArchivedCapture, DamagedRecord
from rori_spiders.exceptions import UsageError
from tests.evidence.imports.samples import HOST, law


def _save(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(law(1))


def test_list_saved_files_by_path_takes_the_day_of_its_folder(tmp_path: Path) -> None:
    _save(tmp_path, "2019-03-01/rules/index.html", "2019-03-01/rules/a b.html", "20200401/x.pdf", "notes.bak")
    found = list_saved_files(tmp_path, base_url=f"{HOST}/law", day=None)
    assert [(one.url, one.captured_at.date()) for one in found] == [
        (f"{HOST}/law/rules/a%20b.html", date(2019, 3, 1)),
        (f"{HOST}/law/rules/", date(2019, 3, 1)),
        (f"{HOST}/law/x.pdf", date(2020, 4, 1)),
    ]
    assert found[0].captured_at == datetime(2019, 3, 1, 23, 59, 59, tzinfo=UTC)


def test_list_saved_files_without_a_day_is_refused(tmp_path: Path) -> None:
    _save(tmp_path, "a.html")
    with pytest.raises(UsageError, match=r"no date for a\.html"):
        list_saved_files(tmp_path, base_url=HOST, day=None)
    [one] = list_saved_files(tmp_path, base_url=HOST, day=date(2018, 1, 2))
    assert one.captured_at.date() == date(2018, 1, 2)
    with pytest.raises(UsageError, match="--base-url"):
        list_saved_files(tmp_path, base_url=None, day=date(2018, 1, 2))


def test_list_saved_files_by_index_names_every_wrong_line(tmp_path: Path) -> None:
    _save(tmp_path, "a.html")
    index = tmp_path / "index.csv"
    index.write_text(f"file,url,captured_at\na.html,{HOST}/a,2019-03-01T08:00:00+02:00\n")
    [one] = list_saved_files(tmp_path, base_url=None, day=None)
    assert (one.url, one.captured_at) == (f"{HOST}/a", datetime(2019, 3, 1, 6, tzinfo=UTC))
    index.write_text(f"file,url,captured_at\nb.html,{HOST}/a,2019\n../a.html,{HOST},2019-01-01\na.html,{HOST},soon\n")
    with pytest.raises(UsageError) as refused:
        list_saved_files(tmp_path, base_url=None, day=None)
    assert [line.split(": ")[0].rpartition(" ")[2] for line in str(refused.value).splitlines()] == ["2", "3", "4"]


def test_read_saved_file_states_nothing_but_its_bytes(tmp_path: Path) -> None:
    _save(tmp_path, "a.html")
    [one] = list_saved_files(tmp_path, base_url=HOST, day=date(2018, 1, 2))
    _, capture = one.read(2**20)
    assert isinstance(capture, ArchivedCapture)
    assert (capture.trust, capture.content_type, capture.body) == ("stated", "text/html", law(1))
    assert isinstance(one.read(10)[1], DamagedRecord)
