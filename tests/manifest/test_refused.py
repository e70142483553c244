"""What is no manifest is refused in one error that names every problem, and nothing else happens.

Each folder of `fixtures` holds an `input.*` and the lines expected.
"""

from __future__ import annotations

import io
import json
import socket
import sys
from pathlib import Path

import pytest

from rori_spiders.exceptions import ManifestError
from rori_spiders.manifest.loading import load_file, load_files, parse_manifest
from rori_spiders.manifest.manifest_text import MAX_BYTES
from tests.manifest.examples import manifest, source
from tests.support.cases import cases

FIXTURES = Path(__file__).parent / "fixtures"
CASES = sorted(case for case in FIXTURES.iterdir() if case.is_dir())


def problems_of(path: Path | str) -> tuple[str, ...]:
    with pytest.raises(ManifestError) as refused:
        load_file(path)
    assert refused.value.exit_code == 2
    return refused.value.problems


@cases("case", CASES, ids=lambda case: case.name)
def test_load_manifest_every_problem_is_named(case: Path) -> None:
    given = next(case.glob("input.*"))
    problems = [line.replace(str(given), given.name) for line in problems_of(given)]
    assert problems == (case / "expected.txt").read_text(encoding="utf-8").splitlines()


def test_load_manifest_ten_megabyte_file_is_one_error(tmp_path: Path) -> None:
    large = tmp_path / "large.json"
    large.write_text(json.dumps(manifest(*(source(id=f"s-{n}", description="x" * 2000) for n in range(5000)))))
    assert large.stat().st_size > 10_000_000
    assert problems_of(large) == (f"{large}: larger than 5 MiB, the maximum for a manifest",)


def test_load_manifest_largest_size_is_read() -> None:
    text = json.dumps(manifest())
    assert parse_manifest(text + " " * (MAX_BYTES - len(text)), name="a", origin="a.json").name == "a"
    with pytest.raises(ManifestError, match="larger than 5 MiB"):
        parse_manifest(text + " " * (MAX_BYTES - len(text) + 1), name="a", origin="a.json")


def test_load_manifest_directory_is_refused(tmp_path: Path) -> None:
    assert problems_of(tmp_path) == (f"{tmp_path}: is a directory; a manifest is a file",)


def test_load_manifest_missing_file_is_refused(tmp_path: Path) -> None:
    assert problems_of(tmp_path / "no.json") == (f"{tmp_path / 'no.json'}: no such file",)


def test_load_manifest_unreadable_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # a socket's path may only be short
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("m.json")
        (problem,) = problems_of("m.json")
    assert problem.startswith("m.json: cannot be read: ")
    (problem,) = problems_of("a\0b.json")
    assert "cannot be read" in problem


def test_load_manifest_stdin_is_named_in_problems(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"Here it is: {}")))
    (problem,) = problems_of("-")
    assert problem.startswith("standard input: not JSON (line 1, column 1): got 'Here it is: {}'")


def test_load_manifest_problems_of_all_files_are_listed_together(tmp_path: Path) -> None:
    first, second = tmp_path / "a.json", tmp_path / "b.json"
    first.write_text(json.dumps(manifest(source(status="on"))))
    second.write_text("{")
    with pytest.raises(ManifestError) as refused:
        load_files([first, second, tmp_path / "c.json"])
    assert [problem.split(": ", 1)[0] for problem in refused.value.problems] == [
        str(first),
        str(second),
        str(tmp_path / "c.json"),
    ]


def test_load_manifest_secret_is_not_repeated() -> None:
    for case in ("headers", "auth-config", "bad-url"):
        problems = "\n".join(problems_of(FIXTURES / case / "input.json"))
        assert "hunter2" not in problems
        assert "secret@" not in problems


def test_load_manifest_problem_is_one_line() -> None:
    text = json.dumps(manifest(source(name="a\nb" * 200, status="on\noff")))
    with pytest.raises(ManifestError) as refused:
        parse_manifest(text, name="a", origin="a.json")
    assert all("\n" not in problem and len(problem) < 400 for problem in refused.value.problems)


@cases(
    ("delay", "allowed", "fits"),
    [
        (2.0, (), True),
        (2, (), True),
        (0.1, (), False),
        (0.1, ("127.0.0.0/8",), True),
        (0.1, ("127.0.0.7:8080",), True),
        (0.1, ("127.0.0.8:8080",), False),
    ],
)
def test_load_manifest_short_delay_needs_allowed_address(delay: float, allowed: tuple[str, ...], fits: bool) -> None:
    text = json.dumps(manifest(domains={"127.0.0.7": {"delay_s": delay}}))
    if fits:
        rules = parse_manifest(text, name="a", origin="a.json", allowed_addresses=allowed).manifest.domains["127.0.0.7"]
        assert rules.delay_s == delay
    else:
        with pytest.raises(ManifestError, match=r"at least 2\.0 seconds, got 0\.1"):
            parse_manifest(text, name="a", origin="a.json", allowed_addresses=allowed)
