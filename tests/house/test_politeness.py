"""What docs/explanation/politeness.md promises to a site's administrator is what the code does."""

from __future__ import annotations

import re

from rori_spiders import ROBOTS_TOKEN, settings
from rori_spiders.downloadermiddlewares import robots
from rori_spiders.manifest.models import DEFAULT_CONCURRENCY
from rori_spiders.politeness import retries
from rori_spiders.politeness.rate_limiter import MARGIN
from rori_spiders.politeness.robots_policy import MAX_BYTES
from tests.house.code import docs

PAGE = docs("politeness.md")
PLAIN = re.sub(r"[*`]", "", " ".join(PAGE.split()))


def test_politeness_docs_table_of_retries_is_current() -> None:
    for row in (retries.RATE_LIMITED, retries.TIMEOUT, retries.UNAVAILABLE, retries.DROPPED):
        waits = ", ".join(f"{wait:g}" for wait in row.waits)
        (line,) = [line for line in PAGE.splitlines() if f"the page fails as `{row.reason}`" in line]
        assert f"| {waits} s |" in line


def test_politeness_docs_each_figure_is_current() -> None:
    promises = (
        f"User-Agent | {settings.USER_AGENT}",
        f"name in robots.txt | {ROBOTS_TOKEN}",
        f"one request in {settings.DOWNLOAD_DELAY:g} seconds, measured when",
        f"(in practice {settings.DOWNLOAD_DELAY * MARGIN:g})",
        f"The first {MAX_BYTES // 1024} KiB are read",
        f"above {retries.MAX_RETRY_AFTER_S / 60:g} minutes it stops",
        f"a Crawl-delay above {robots.MAX_DELAY_S / 60:g} minutes",
        f"used for at most {robots.MAX_ROBOTS_AGE.total_seconds() / 3600:g} hours",
        f"It reads at most {settings.RORI_MAX_BYTES // 2**20} MiB of a page",
        f"({settings.RORI_MAX_PDF_BYTES // 2**20} of a PDF)",
        f"a request has {settings.DOWNLOAD_TIMEOUT} seconds",
    )
    missing = [promise for promise in promises if promise not in PLAIN]
    assert not missing, "docs/explanation/politeness.md says otherwise:\n" + "\n".join(missing)


def test_politeness_docs_concurrency_is_current() -> None:
    words = {3: "three", 10: "ten"}
    assert f"at most {words[DEFAULT_CONCURRENCY]} at once" in PLAIN
    assert words[settings.CONCURRENT_REQUESTS_PER_DOMAIN] == words[DEFAULT_CONCURRENCY]
    assert f"at most {words[settings.RORI_MAX_CONCURRENT_REQUESTS]} requests are in progress" in PLAIN
