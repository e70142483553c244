"""`scrapy metrics` as it is typed: to the terminal, to a file, and at an endpoint of a real process."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING
from urllib.request import urlopen

import pytest
from prometheus_client.parser import text_string_to_metric_families

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.project import Project
    from tests.terminal.commands.conftest import Result

    Typed = Callable[..., Result]


def names(text: str) -> set[str]:
    return {family.name for family in text_string_to_metric_families(text)}


def test_metrics_print_to_terminal(collected: Project, typed: Typed) -> None:
    said = typed("metrics")
    assert said.code == 0
    assert {"rori_up", "rori_sources", "rori_runs"} <= names(said.out)


def test_metrics_before_first_collection_create_no_ledger(three: Project, typed: Typed) -> None:
    said = typed("metrics")
    assert (said.code, said.err) == (0, "")
    assert "rori_up 0.0" in said.out
    assert not three.ledger.exists()


def test_metrics_file_is_replaced(collected: Project, typed: Typed) -> None:
    file = collected.folder / "rori.prom"
    file.write_text("old", encoding="utf-8")
    assert typed("metrics", "--output", str(file)).code == 0
    assert "rori_up 1.0" in file.read_text(encoding="utf-8")
    assert [path for path in collected.folder.iterdir() if path.name.startswith("rori.prom")] == [file]


def test_metrics_file_stays_when_ledger_is_unreadable(collected: Project, typed: Typed) -> None:
    file = collected.folder / "rori.prom"
    file.write_text("old", encoding="utf-8")
    collected.ledger.write_bytes(b"no database " * 1000)
    said = typed("metrics", "--output", str(file))
    assert said.code == 3
    assert "is not a database" in said.err
    assert file.read_text(encoding="utf-8") == "old"


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["--serve", "abc"], 2),
        (["--serve", "127.0.0.1:99999"], 2),
        (["--serve", "1", "--output", "x"], 2),
        (["--output", "/nowhere/x.prom"], 3),
        (["leftover"], 2),
    ],
)
def test_metrics_invalid_options_are_refused(collected: Project, typed: Typed, words: list[str], code: int) -> None:
    said = typed("metrics", *words)
    assert said.code == code
    assert "Traceback" not in said.err


@pytest.mark.crawl
def test_metrics_endpoint_answers_until_stopped(collected: Project) -> None:
    with collected.start("metrics", "--serve", "0") as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        assert url.startswith("http://127.0.0.1:")
        with urlopen(url, timeout=20) as answer:
            assert "rori_up 1.0" in answer.read().decode()
        collected.ledger.write_bytes(b"no database " * 1000)
        with urlopen(url, timeout=20) as answer:
            assert "rori_scrape_errors_total 1.0" in answer.read().decode()
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=20) == 0
