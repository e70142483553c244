"""Ctrl-C and SIGTERM where no crawl is yet, and where it is asked for twice: said in words, and by the exit code."""

from __future__ import annotations

import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.support.jobs import job
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from tests.support.crawl_output import CrawlOutput
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl


def test_ctrl_c_while_a_command_starts_is_no_traceback(project: Project) -> None:
    starts = (
        "import rori_spiders.terminal.commands, os, signal, time; os.kill(os.getpid(), signal.SIGINT); time.sleep(60)"
    )
    done = subprocess.run(
        [sys.executable, "-c", starts], env=project.env, capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.stderr, done.returncode) == ("Stopped.\n", 1)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])
def test_second_signal_ends_at_once_and_next_job_continues(
    site: Site, project: Project, crawl_output: CrawlOutput, number: signal.Signals
) -> None:
    site.page("/", page("Start", "/1", "/2"))
    for path in ("/1", "/2"):
        site.page(path, page(f"Page {path}"))
    held = site.slow("/2", seconds=600)
    project.manifest([source("a", site.at("/"), "crawl")], delay_s=0.05)
    with job(project, "collect", "-s", "DOWNLOAD_TIMEOUT=600", begin=()) as running:
        assert running.stdout is not None
        site.log.wait_for("/2")
        running.send_signal(number)
        while "shutting down gracefully" not in running.stdout.readline():
            assert running.poll() is None
        running.send_signal(number)
        said, _ = running.communicate(timeout=60)
    held.release()
    assert running.returncode == 1, said
    assert "a job can resume it in one minute" in said
    assert "Traceback" not in said

    crawl_output.expire_claims()
    captured, asked = crawl_output.in_state("a", "captured"), len(site.log.hits())
    again = project.scrapy("collect")
    assert again.returncode == 0, again.stderr
    assert crawl_output.in_state("a", "captured") == {"/", "/1", "/2"}
    assert not captured & {hit.path for hit in site.log.hits()[asked:]}
    crawl_output.assert_sums()
    crawl_output.assert_verified()
