"""Logs that several processes append to: lines are whole, in one piece, and torn ones are cut."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

import pytest

from rori_spiders.exceptions import StagingError
from tests.staging import child_processes
from tests.staging.job_driver import of_a_run

if TYPE_CHECKING:
    from pathlib import Path

    from rori_spiders.staging.store_factory import DiskStore


def test_line_file_returns_lines_in_order(store: DiskStore, root: Path) -> None:
    assert list(store.index.lines()) == []
    store.index.append(of_a_run())
    store.index.append(of_a_run("1", "2"))
    store.index.append(of_a_run("3"))
    store.errors.append(of_a_run("e"))
    assert list(store.index.lines()) == ["1", "2", "3"]
    assert list(store.errors.lines()) == ["e"]
    assert (root / "_index.jsonl").read_bytes() == b"1\n2\n3\n"


def test_line_file_unicode_line_separators_end_no_line(store: DiskStore) -> None:
    odd = "a\rb\x0bc\x85d\u2028e"
    store.index.append(of_a_run(odd, "next"))
    assert list(store.index.lines()) == [odd, "next"]


def test_line_file_newline_inside_line_is_refused(store: DiskStore) -> None:
    with pytest.raises(ValueError, match="not one line"):
        store.index.append(of_a_run("good", "bad\nline"))


@pytest.mark.parametrize("torn", [b'{"half', b"x" * 200_000, b"\0" * 4096, b"\xff\xfe"])
@pytest.mark.parametrize("whole", [b"", b"1\n", b"1\n" * 70_000])
def test_line_file_torn_tail_is_cut_at_last_newline(store: DiskStore, root: Path, whole: bytes, torn: bytes) -> None:
    root.mkdir()
    (root / "_index.jsonl").write_bytes(whole + torn)
    assert store.torn() == ("_index.jsonl",)
    assert b"\n".join(line.encode() for line in store.index.lines()) == whole.removesuffix(b"\n")
    store.index.append(of_a_run("2"))
    assert (root / "_index.jsonl").read_bytes() == whole + b"2\n"
    assert store.torn() == ()


def test_line_file_mending_cuts_torn_tails_without_appending(store: DiskStore, root: Path) -> None:
    root.mkdir()
    (root / "_index.jsonl").write_bytes(b"1\n2")
    (root / "_errors.jsonl").write_bytes(b"1\n")
    assert store.mend().torn == ("_index.jsonl",)
    assert (root / "_index.jsonl").read_bytes() == b"1\n"
    assert store.mend().torn == ()


def test_line_file_appends_only_missing_lines(store: DiskStore) -> None:
    store.index.append(of_a_run("1", "2"))
    assert store.index.append_missing(of_a_run("2", "3", "3", "1", "4")) == 2
    assert store.index.append_missing(of_a_run("4", "3")) == 0
    assert store.index.append_missing(of_a_run()) == 0
    assert list(store.index.lines()) == ["1", "2", "3", "4"]


def test_line_file_disk_full_during_batch_leaves_none_of_it(
    store: DiskStore, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.index.append(of_a_run("1"))
    write, calls = os.write, []

    def fills_up(fd: int, data: bytes) -> int:
        calls.append(1)
        if len(calls) > 3:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(fd, bytes(data)[:4])

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", fills_up)
        with pytest.raises(StagingError, match="is full"):
            store.index.append(of_a_run("second line", "third line"))
    assert (root / "_index.jsonl").read_bytes() == b"1\n"


def test_line_file_concurrent_appends_never_mix_or_lose_lines(store: DiskStore) -> None:
    size, rounds = 3_000, 60

    def append(letter: str) -> None:
        for number in range(rounds):
            if number % 2:
                store.index.append(of_a_run(f"{letter}{number}:" + letter * size))
            else:
                store.index.append_missing(of_a_run(f"{letter}{number}:" + letter * size))

    def tear() -> None:
        for _ in range(rounds):
            store.mend()

    writers = [child_processes.start(lambda letter=letter: append(letter)) for letter in "abc"]  # type: ignore[misc]
    writers.append(child_processes.start(tear))
    assert [child_processes.end(writer) for writer in writers] == [0, 0, 0, 0]
    lines = list(store.index.lines())
    for letter in "abc":
        assert [line for line in lines if line[0] == letter] == [
            f"{letter}{number}:" + letter * size for number in range(rounds)
        ]
    assert len(lines) == 3 * rounds


def test_line_file_concurrent_missing_lines_are_appended_once(store: DiskStore) -> None:
    wanted = [f"{number}:" + "x" * 500 for number in range(400)]
    writers = [child_processes.start(lambda: _append(store, wanted)) for _ in range(3)]
    assert [child_processes.end(writer) for writer in writers] == [0, 0, 0]
    assert sorted(store.index.lines()) == sorted(wanted)


def _append(store: DiskStore, lines: list[str]) -> None:
    for start in range(0, len(lines), 40):
        store.index.append_missing(of_a_run(*lines[start : start + 40]))
