"""A crawl whose webhook is down, then up; the receiver of docs/how-to/ingestion.md as it stands there."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.staging.webhook.receiver import SECRET, receiving
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from tests.support.crawl_output import CrawlOutput
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

DOCUMENT = Path(__file__).parents[2] / "docs" / "how-to" / "ingestion.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
[RECEIVER] = (block for block in BLOCKS if "RORI_WEBHOOK_SECRET" in block)


def test_webhook_missed_envelopes_are_announced_by_next_job(
    site: Site, project: Project, crawl_output: CrawlOutput
) -> None:
    site.page("/", page("Start", "/1"))
    site.page("/1", page("One"))
    project.manifest([source("a", site.at("/"), "crawl")], delay_s=0.02)
    refused = project.scrapy("collect", env={"RORI_WEBHOOK_URL": "http://127.0.0.1:9/x"})
    assert refused.returncode == 2
    assert "RORI_WEBHOOK_SECRET is not set" in refused.stderr
    project.env |= {"RORI_WEBHOOK_SECRET": SECRET, "RORI_WEBHOOK_URL": "http://127.0.0.1:9/secret-path"}
    down = project.scrapy("collect")
    assert down.returncode == 0, down.stderr
    assert "staged envelopes are waiting to be sent: http://127.0.0.1:9 did not accept them" in down.stderr
    assert "secret-path" not in down.stderr
    with receiving() as receiver:
        project.env["RORI_WEBHOOK_URL"] = receiver.url
        beside = project.scrapy("dispatch", "--once")
        assert (beside.returncode, beside.stderr) == (0, "")
        assert len(receiver.taken) == 2
        site.page("/1", page("One, changed"))
        up = project.scrapy("collect", "--force")
        assert up.returncode == 0, up.stderr
        after = project.scrapy("staging", "announce")
        assert (after.returncode, "none waiting" in after.stdout) == (0, True), after.stdout
        assert receiver.taken == [line["envelope_id"] for line in crawl_output.index()]
        assert len(receiver.taken) == 3
    crawl_output.assert_verified()


def test_webhook_documented_receiver_accepts_signature(site: Site, project: Project, crawl_output: CrawlOutput) -> None:
    site.page("/", page("Start"))
    project.manifest([source("a", site.at("/"))], delay_s=0.02)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    env = project.env | {"RORI_WEBHOOK_SECRET": SECRET, "PORT": str(port)}
    with subprocess.Popen([sys.executable, "-c", RECEIVER], env=env, stdout=subprocess.PIPE, text=True) as running:
        try:
            hook = {"RORI_WEBHOOK_URL": f"http://127.0.0.1:{port}/", "RORI_WEBHOOK_SECRET": SECRET}
            assert project.scrapy("collect", env=hook).returncode == 0
            assert project.scrapy("staging", "announce", env=hook).returncode == 0
            assert running.stdout is not None
            [line] = crawl_output.index()
            assert running.stdout.readline() == f"{line['envelope_id']} {line['path']}\n"
            wrong = hook | {"RORI_WEBHOOK_SECRET": SECRET[::-1][:-1].rjust(44, "A")}
            project.scrapy("staging", "announce", env=wrong)
        finally:
            running.kill()
