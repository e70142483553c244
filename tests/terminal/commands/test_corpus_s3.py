"""``scrapy corpus`` over a bucket: a version is as whole there as on a disk, whatever the server does meanwhile."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.staging.s3.proxy import Fault
from tests.terminal.commands.test_corpus import Corpus, page

if TYPE_CHECKING:
    from pathlib import Path

    from tests.staging.s3.fixtures import Area
    from tests.support.server.site import Site

pytestmark = pytest.mark.crawl


class InBucket(Corpus):
    """A corpus whose staging area is a bucket."""

    def __init__(self, folder: Path, site: Site, area: Area) -> None:
        self.area = area
        super().__init__(folder, site, env={**area.env, "RORI_STAGING": area.uri})

    def latest(self) -> dict[str, Any]:
        below = f"domains/{self.domain}/corpora"
        number = json.loads(self.area.get(f"{below}/latest.json"))["version"]
        manifest: dict[str, Any] = json.loads(self.area.get(f"{below}/v{number}/manifest.json"))
        held = set(self.area.keys(f"staged/{below}/v{number}/"))
        assert {f"{below}/v{number}/{one['path']}" for one in manifest["pages"]} <= held
        return manifest


def test_corpus_in_bucket_is_run_reviewed_and_published(tmp_path: Path, site: Site, area: Area) -> None:
    corpus = InBucket(tmp_path, site, area)
    corpus.does("run")
    corpus.approve_all()
    assert "version 1, 9 pages" in corpus.does("publish")
    assert len(corpus.latest()["pages"]) == 9
    corpus.no_drift()

    # The server fails when half of the next version's pages are written; nobody is shown it.
    site.page("/rules/1.html", page("1", fee=40))
    site.page("/rules/2.html", page("2", fee=50))
    assert "2 pages changed" in corpus.collect()
    corpus.approve_all()
    area.proxy.always = [Fault("500", "PUT", "/v2/pages/")]
    said = corpus.does("publish", code=3)
    assert "Traceback" not in said and "s3://bucket-" in said, said
    assert corpus.latest()["version"] == 1
    area.proxy.always = []
    assert [event for event, _ in corpus.alerts()] == ["corpus_unpublished"]
    area.proxy.always = [Fault("refuse")]
    said = corpus.does("publish", code=3)
    assert "Traceback" not in said and "test-secret" not in said
    area.proxy.always = []
    # `latest` is moved, and the answer is lost: the same command finishes it.
    area.proxy.faults = [Fault("cut", "PUT", "latest.json")]
    corpus.does("publish")
    assert "version 2, 9 pages, 0 tombstones" in corpus.does("publish")
    assert corpus.latest()["version"] == 2 and corpus.alerts() == []
    corpus.no_drift()

    assert "version 3, the pages of version 1" in corpus.does("rollback", "1", "--reason", "too early")
    corpus.no_drift()
    verified = corpus.project.scrapy("verify")
    assert verified.returncode == 0 and "3 corpus versions" in verified.stdout, verified.stdout
