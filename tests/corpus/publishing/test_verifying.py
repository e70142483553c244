"""`scrapy verify` over published versions: whole ones agree, and each thing that is wrong is named."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from rori_spiders.ledger.corpus import human_decisions, published_versions
from rori_spiders.ledger.corpus.page_ids import page_id_for_url
from rori_spiders.ledger.tables import corpus_overrides, corpus_versions
from rori_spiders.staging.verification.verify import verify_staging
from tests.corpus.publishing.factories import DOMAIN, LATEST, NOW, SITE

if TYPE_CHECKING:
    from pathlib import Path

    from tests.corpus.publishing.conftest import Corpus


def kinds(corpus: Corpus, hours: int = 0) -> list[str]:
    report = verify_staging(corpus.ledger, corpus.store, now=NOW + timedelta(hours=hours))
    return sorted(one.kind for one in report.findings)


def test_verify_corpus_published_versions_agree(corpus: Corpus) -> None:
    corpus.publish(SITE)
    corpus.publish({name: text for name, text in SITE.items() if name != "a"}, "2" * 36)
    report = verify_staging(corpus.ledger, corpus.store, now=NOW)
    assert report.clean
    assert (report.counts["corpus_versions"], report.counts["corpus_files"]) == (2, 12 + 12)


def test_verify_corpus_each_defect_is_named(corpus: Corpus, tmp_path: Path) -> None:
    corpus.publish(SITE)
    folder = tmp_path / "staged" / "domains" / DOMAIN / "corpora" / "v1"
    pages = sorted((folder / "pages").iterdir())
    pages[0].unlink()
    pages[1].write_bytes(b"other")
    (folder / "pages" / "more.md").write_bytes(b"more")
    assert kinds(corpus) == ["version_file_changed", "version_file_missing", "version_file_unknown"]
    (folder / "manifest.json").write_bytes(b"{}")
    assert kinds(corpus) == ["version_file_changed"]
    (folder / "manifest.json").unlink()
    assert kinds(corpus) == ["version_file_missing"]


def test_verify_corpus_latest_agrees_with_ledger(corpus: Corpus, tmp_path: Path) -> None:
    corpus.publish(SITE)
    latest = (tmp_path / "staged" / LATEST).read_bytes()
    corpus.publish(SITE | {"a": "Other."}, "2" * 36)
    (tmp_path / "staged" / LATEST).write_bytes(latest)
    assert kinds(corpus) == ["latest_differs"]
    (tmp_path / "staged" / LATEST).unlink()
    assert kinds(corpus) == ["latest_missing"]
    (tmp_path / "staged" / LATEST).write_bytes(b"[")
    assert kinds(corpus) == ["latest_differs"]
    with corpus.ledger.begin() as conn:
        conn.execute(corpus_versions.delete())
    missing = ["fact_missing", "fact_missing"]
    assert kinds(corpus) == [*missing, "latest_differs", "version_without_row", "version_without_row"]


def test_verify_corpus_version_being_published_is_skipped_for_an_hour(corpus: Corpus) -> None:
    corpus.publish(SITE)
    with corpus.ledger.begin() as conn:
        said = dict.fromkeys(("run_id", "rolled_back_to", "approved_by", "approved_at")) | {"published_by": "bob"}
        published_versions.reserve_version(conn, DOMAIN, {**said, "contents_hash": "1"}, now=NOW)
    corpus.store.domains.write_new(f"domains/{DOMAIN}/corpora/v2/pages/a.md", b"a")
    assert kinds(corpus) == []
    assert kinds(corpus, hours=2) == ["version_unfinished"]
    corpus.publish(SITE | {"a": "Other."}, "2" * 36)
    assert corpus.rows() == {1: "published", 2: "abandoned", 3: "published"}
    assert kinds(corpus, hours=2) == []


def test_verify_corpus_override_moved_to_another_page_is_named(corpus: Corpus) -> None:
    url, other = (f"https://{DOMAIN}/{name}" for name in "ab")
    with corpus.ledger.begin() as conn:
        human_decisions.set_override(
            conn, DOMAIN, page_id_for_url(url), url, "exclude", reason="It is a form", by="ann", now=NOW
        )
    assert kinds(corpus) == []
    with corpus.ledger.begin() as conn:
        conn.execute(corpus_overrides.update().values(page_id=page_id_for_url(other)))
    assert kinds(corpus) == ["override_differs"]
