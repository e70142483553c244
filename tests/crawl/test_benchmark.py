"""The benchmark of whole collections, small: that it measures all of the work, not how fast the machine is."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from benchmarks import crawl
from benchmarks.crawl_steps import count_steps
from benchmarks.page_server import PageServer
from benchmarks.rivals import environments
from benchmarks.rivals.environments import Rival

if TYPE_CHECKING:
    from pathlib import Path

_PAGES = 6


@pytest.mark.crawl
def test_main_with_ours_alone_accounts_for_every_page_of_both_visits(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written = tmp_path / "figures.json"
    words = ["--parts", "visits", "--only", "ours", "--rounds", "1", "--pages", str(_PAGES), "--json", str(written)]

    assert crawl.main(words) == 0

    first, second = json.loads(written.read_text("utf-8"))
    assert (first["collector"], first["files"], first["requests"], first["without_file"]) == (
        "ours",
        _PAGES,
        _PAGES,
        {},
    )
    assert (second["files"], second["requests"], second["without_file"]) == (0, _PAGES, {"not_modified": _PAGES})
    assert all(
        visit[figure] > 0 for visit in (first, second) for figure in ("pages_per_s", "cpu_ms_per_page", "rss_mib")
    )
    table = [line for line in capsys.readouterr().out.splitlines() if line.startswith("|")]
    assert [line.count("|") for line in table] == [8] * 4


@pytest.mark.slow
def test_main_with_a_rival_that_cannot_be_installed_reports_its_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = Rival("absent", "none.py", "absent", (str(tmp_path / "not-a-package"),))
    monkeypatch.setattr(environments, "ENVIRONMENTS", tmp_path)
    monkeypatch.setattr(crawl, "list_rivals", lambda cores: [missing])

    assert crawl.main(["--parts", "visits", "--only", "absent", "--rounds", "1", "--pages", "1"]) == 0

    assert "absent cannot be installed: ERROR: " in capsys.readouterr().out


def test_main_with_a_rival_that_fails_returns_1_and_prints_no_figure_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    python = tmp_path / "fails"
    python.write_text("#!/bin/sh\necho out of order\nexit 1\n", encoding="ascii")
    python.chmod(0o755)
    monkeypatch.setattr(crawl, "list_rivals", lambda cores: [Rival("broken", "none.py", "broken", ())])
    monkeypatch.setattr(crawl, "make_environment", lambda name, packages: (python, "1.0"))

    assert crawl.main(["--parts", "visits", "--only", "broken", "--rounds", "1", "--pages", "1"]) == 1

    printed = capsys.readouterr().out
    assert "broken did not do the whole work: out of order" in printed
    assert "| broken | did not do the whole work: 0 files of 1 pages |" in printed


def test_page_server_with_fewer_files_than_pages_serves_no_page_twice(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for name in ("a", "b"):
        text = f"<html><body><nav>Menu</nav><main><p>Text of {name}.</p></main></body></html>"
        (tmp_path / "in" / f"{name}.html").write_text(text, encoding="ascii")

    server = PageServer(tmp_path / "nginx", [tmp_path / "in"], 5, size=300)

    bodies = [path.read_bytes() for path in sorted(server.page_folder.iterdir())]
    assert len(set(bodies)) == len(server.urls) == 5
    assert all(len(body) >= 300 and body.count(b"<main>") == body.count(b"<nav>") == 1 for body in bodies)


def test_count_steps_of_stacks_takes_the_deepest_frame_of_ours_and_no_waits() -> None:
    stacks = (
        'process 1:"scrapy collect";run (scrapy/cmdline.py:9);'
        "doc (rori_spiders/ledger/audit/log.py:3);go (sqlalchemy/x.py:1) 4\n"
        'process 1:"scrapy collect";run (scrapy/cmdline.py:9);_find_and_load (<frozen importlib._bootstrap>:1) 3\n'
        'process 1:"scrapy collect";run (scrapy/cmdline.py:9) 2\n'
        'process 1:"scrapy collect";ask (rori_spiders/workers/pool.py:9);'
        "Connection._recv (multiprocessing/connection.py:3) 5\n"
        'process 1:"scrapy collect";run (threading.py:9);_worker (concurrent/futures/thread.py:81) 6\n'
        'process 1:"scrapy collect";process 2:"python -c import\nworker";main (rori_spiders/workers/worker.py:1);'
        "convert (rori_spiders/content/html/tree.py:2);parse (lxml/html/__init__.py:8) 1\n"
    )

    assert count_steps(stacks) == {
        "main: ledger/audit": 4,
        "main: imports": 3,
        "main: Scrapy, Twisted, Python": 2,
        "worker: content/html": 1,
    }
