"""However a job ends, its browser ends with it: by itself, by Ctrl-C, SIGTERM or SIGKILL, and in `scrapy shell`."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rori_spiders.crawl.tiers.browser.chromium import ProcessTree
from tests.crawl.tiers.browser.marked_chromium import MarkedChromium
from tests.support.pages import page
from tests.support.project import is_soon, source

if TYPE_CHECKING:
    from tests.support.crawl_output import CrawlOutput
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl


@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_job_that_is_ended_ends_its_browser(
    site: Site, project: Project, crawl_output: CrawlOutput, signum: signal.Signals
) -> None:
    chromium = MarkedChromium(project)
    site.page("/", page("Held").replace("</main>", "</main><script>fetch('/held')</script>"))
    site.slow("/held", "x")
    scratch = Path(tempfile.mkdtemp(prefix="rori-", dir="/tmp"))  # short: Chromium's sockets lie there
    project.env["TMPDIR"] = str(scratch)
    project.manifest([source("held", site.at("/"), scrape_config={"tiers": ["browser"]})], delay_s=0.05)
    with project.start("collect") as job:
        site.log.wait_for("/held", timeout=60)
        assert chromium.processes()
        os.kill(job.pid, signum)
        job.communicate(timeout=60)
    chromium.wait(alive=False, timeout=20)
    assert is_soon(lambda: not [*scratch.glob("*profile*")], 20)  # removed by Playwright's driver, after the browser
    shutil.rmtree(scratch)
    assert crawl_output.urls("held")["/"][0] in {"pending", "captured"}


def test_browser_that_ignores_shutdown_leaves_no_profile(site: Site, project: Project) -> None:
    """It is stopped in the midst of a page: what does not end in order is killed, and tidied up all the same."""
    chromium = MarkedChromium(project)
    site.page("/", page("Held").replace("</main>", "</main><script>fetch('/held')</script>"))
    site.slow("/held", "x")
    scratch = Path(tempfile.mkdtemp(prefix="rori-", dir="/tmp"))
    project.env["TMPDIR"] = str(scratch)
    project.manifest([source("held", site.at("/"), scrape_config={"tiers": ["browser"]})], delay_s=0.05)
    with project.start("collect") as job:
        site.log.wait_for("/held", timeout=60)
        for process in chromium.processes():
            os.kill(process, signal.SIGSTOP)
        os.kill(job.pid, signal.SIGINT)
        job.communicate(timeout=90)
    chromium.wait(alive=False, timeout=20)
    left = [path.name for path in scratch.iterdir()]
    shutil.rmtree(scratch)
    assert left == []


def test_folder_that_a_dying_process_still_fills_is_removed(tmp_path: Path) -> None:
    """2,000 folders are made in it, the first of them before it is removed."""
    profile = tmp_path / "profile"
    profile.mkdir()
    fill = f"import os\nfor n in range(2000): os.mkdir(f'{profile}/{{n}}'); n or print(flush=True)"
    with subprocess.Popen([sys.executable, "-c", fill], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as writer:
        assert writer.stdout is not None
        writer.stdout.readline()
        ProcessTree(writer.pid, writer.pid, (profile,)).remove_folders()
    assert not profile.exists()


def test_shell_renders_and_leaves_nothing(site: Site, project: Project) -> None:
    chromium = MarkedChromium(project)
    site.page("/", page("Start"))
    script = "<script>document.querySelector('h1').textContent = 'Written in the ' + 'shell'</script>"
    site.page("/js", page("Shell").replace("</body>", f"{script}</body>"))
    project.manifest([source("start", site.at("/"))], delay_s=0.05)
    asked = (
        f"fetch(__import__('scrapy').Request('{site.at('/js')}', meta={{'tier': 'browser'}})),"
        " print('GOT', response.status, response.css('h1::text').get(), response.flags)"
    )
    done = project.scrapy("shell", "--nolog", "-c", f"({asked})", timeout=120)
    assert "GOT 200 Written in the shell" in done.stdout, done.stdout + done.stderr
    chromium.wait(alive=False, timeout=20)


def test_no_browser_is_started_for_what_needs_none(site: Site, project: Project, crawl_output: CrawlOutput) -> None:
    project.env["RORI_CHROMIUM"] = "/nowhere/chromium"
    project.env["RORI_TIERS"] = "mediawiki,http,browser"
    site.page("/", page("Plain"))
    project.manifest([source("plain", site.at("/"))], delay_s=0.05)
    assert project.scrapy("collect").returncode == 0
    assert crawl_output.urls("plain") == {"/": ("captured", "")}
