"""What servers answered that failed us: alerts of robots.txt and redirects, the body kept, and how it is shown."""

from __future__ import annotations

import os
import pty
import sys
from typing import TYPE_CHECKING

import pytest

from tests.support.crawl_output import CrawlOutput
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.operations.alerts.servers import Mailbox
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

MIB = 2**20
EVIL = "\x1b[2J\x1b]0;owned\x07\u202e"


def in_a_terminal(project: Project, *args: str) -> str:
    """What ``scrapy ARGS`` writes to a terminal."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(project.folder)
        os.execve(sys.executable, [sys.executable, "-m", "scrapy", *args], project.env)
    written = b""
    while True:
        try:
            read = os.read(terminal, 65536)
        except OSError:
            break
        if not read:
            break
        written += read
    os.close(terminal)
    os.waitpid(pid, 0)
    return written.decode("utf-8")


def test_channel_failure_reason_names_server_answer(
    sites: Callable[[int], list[Site]], project: Project, box: Mailbox
) -> None:
    crawl_output = CrawlOutput(project)
    names = ("unreachable", "forbidden", "redirects", "huge", "hostile")
    many = dict(zip(names, sites(len(names)), strict=True))
    for one in many.values():
        one.page("/", page("Start"))
    many["unreachable"].robots("no", status=500)
    many["forbidden"].robots("User-agent: *\nDisallow: /\n")
    many["redirects"].redirect("/", "/new", status=308)
    many["redirects"].page("/new", page("Start, moved"))
    many["huge"].status("/", 403, body="<h1>Forbidden</h1>" + "x" * (3 * MIB // 2))
    many["hostile"].status("/", 403, body=f"<h1>Forbidden</h1>{EVIL}\0\ufffe end")
    project.manifest([source(name, one.at("/")) for name, one in many.items()], delay_s=0.02)
    project.env |= {"RORI_ALERT_EMAIL": "ops@example.org", "RORI_SMTP_URL": box.url, "RORI_RETRY_SCALE": "0.001"}
    done = project.scrapy("collect", "--force")
    assert done.returncode == 1, done.stderr

    found = {
        (row["source_id"], row["event"]): row
        for row in crawl_output.rows("SELECT * FROM alerts WHERE cleared_at IS NULL")
    }
    assert set(found) == {
        ("unreachable", "robots_unreachable"),
        ("forbidden", "robots_forbids"),
        ("redirects", "source_redirects"),
        ("huge", "source_blocked"),
        ("hostile", "source_blocked"),
    }
    assert found["redirects", "source_redirects"]["message"].endswith(many["redirects"].at("/new"))
    assert "captured" in crawl_output.states("redirects").values()
    [title] = box.titles
    assert title == "[RORI] high: 3 alerts: source_blocked (2), robots_forbids (1)"

    rows = {
        row["manifest_id"]: row
        for row in crawl_output.rows("SELECT * FROM audit WHERE kind = 'page' AND state = 'failed'")
    }
    huge = project.scrapy("audit", "--response", str(rows["huge"]["audit_id"]))
    assert len(huge.stdout.encode()) == MIB
    assert f"Stored: the first {MIB} of {len('<h1>Forbidden</h1>') + 3 * MIB // 2} bytes." in huge.stderr
    shown = in_a_terminal(project, "audit", "--response", str(rows["hostile"]["audit_id"]))
    assert "Forbidden" in shown
    assert not [char for char in EVIL if char in shown and not char.isprintable()], shown
    none = project.scrapy("audit", "--response", str(rows["unreachable"]["audit_id"]))
    assert (none.returncode, none.stdout) == (1, "")
    assert "No stored body" in none.stderr

    many["unreachable"].robots("User-agent: *\nDisallow:\n")
    many["redirects"].page("/", page("Start"))
    project.scrapy("collect", "--source", "unreachable", "--source", "redirects", "--force")
    still = {row["source_id"] for row in crawl_output.rows("SELECT * FROM alerts WHERE cleared_at IS NULL")}
    assert still == {"forbidden", "huge", "hostile"}
