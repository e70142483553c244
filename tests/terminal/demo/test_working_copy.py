"""The working copy: made once, edited figure by figure, made anew when the package brings another site."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rori_spiders.exceptions import UsageError
from rori_spiders.terminal.demo import working_copy
from rori_spiders.terminal.demo.working_copy import edit_figure, packaged_site, prepare_site

if TYPE_CHECKING:
    from pathlib import Path


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_working_copy_equals_packaged_site(folder: Path) -> None:
    copied = contents(folder)
    copied.pop("_built.txt")
    assert copied == packaged_site()


def test_working_copy_repeated_preparation_keeps_edit(folder: Path) -> None:
    edit_figure(folder)
    edited = contents(folder)
    assert prepare_site(folder) == folder
    assert contents(folder) == edited


def test_working_copy_interrupted_copy_is_repeated(folder: Path) -> None:
    (folder / "_built.txt").unlink()
    (folder / "robots.txt").unlink()
    prepare_site(folder)
    assert (folder / "robots.txt").is_file()


def test_working_copy_other_packaged_site_replaces_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(working_copy, "packaged_site", lambda: {"index.html": b"new", "a/b.txt": b"x"})
    prepare_site(folder)
    assert set(contents(folder)) == {"index.html", "a/b.txt", "_built.txt"}


def test_working_copy_each_edit_changes_one_more_figure(folder: Path) -> None:
    original = contents(folder)
    first, second = edit_figure(folder), edit_figure(folder)
    assert first.before.startswith("within 60 days from the effective date")
    assert first.after == second.before
    assert second.after.startswith("within 62 days")
    changed = [name for name, body in contents(folder).items() if original[name] != body]
    assert changed == [f"{first.page.strip('/')}/index.html"]


def test_working_copy_edit_changes_figure_only(folder: Path) -> None:
    file = folder / "rules-policy/regulations/1007/103/index.html"
    before = file.read_text(encoding="utf-8")
    change = edit_figure(folder)
    assert file.read_text(encoding="utf-8") == before.replace(change.before, change.after)
    assert before.count(change.before) == 1


def test_working_copy_edit_without_site_names_command(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="run `scrapy demo` first"):
        edit_figure(tmp_path)


def test_working_copy_edit_without_figure_names_command(folder: Path) -> None:
    (folder / "rules-policy/regulations/1007/103/index.html").write_text("<p>other</p>", encoding="utf-8")
    with pytest.raises(UsageError, match=r"No number to change in .*: delete .* and run `scrapy demo` again"):
        edit_figure(folder)
