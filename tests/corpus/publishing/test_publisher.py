"""Versions: what is in them, what follows what, and what is refused before anything is begun."""

from __future__ import annotations

import json
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING

import pytest

from rori_spiders.corpus.publishing.current_version import read_current_version
from rori_spiders.corpus.publishing.publisher import publish_version, roll_back_version
from rori_spiders.corpus.publishing.version_manifest import Rights
from rori_spiders.corpus.publishing.version_plan import merge_delta
from rori_spiders.exceptions import PublishingRefused, StagingError
from rori_spiders.ledger.corpus import published_versions, run_states
from rori_spiders.ledger.operations import alerts
from rori_spiders.ledger.tables import corpus_versions
from rori_spiders.staging.verification.verify import verify_staging
from tests.corpus.publishing.factories import (
    DOMAIN,
    LATEST,
    NOW,
    OTHER,
    RUN,
    SITE,
    entries,
    entry,
    is_whole,
    latest,
    names,
    request,
)

if TYPE_CHECKING:
    from pathlib import Path

    from tests.corpus.publishing.conftest import Corpus

FORBIDDEN = Rights(verdict="forbidden", reasons=["no use by AI (noai)"])


def test_publish_first_version_is_full_and_recorded(corpus: Corpus) -> None:
    corpus.approved()
    row = corpus.publish(SITE)
    manifest = latest(corpus.store)
    assert (row.version, row.state, row.pages, row.tombstones) == (1, "published", 9, 0)
    assert row.manifest_hash == sha256(corpus.store.domains.read(f"{row.prefix}/manifest.json")).hexdigest()
    assert corpus.state() == "published"
    assert (manifest["domain"], manifest["published_by"], manifest["approved_by"]) == (DOMAIN, "bob", "ann")
    assert (manifest["approved_at"], manifest["previous"]) == ("2026-11-23T12:00:00Z", None)
    assert {one["state"] for one in manifest["pages"]} == {"new"}
    assert {one["rights"]["verdict"] for one in manifest["pages"]} == {"not_known"}
    first = manifest["pages"][0]
    file = corpus.store.domains.read(f"{row.prefix}/{first['path']}").decode()
    assert f"doc_id: {first['doc_id']}\n" in file
    assert f'content_hash: "{first["content_hash"]}"' in file


def test_publish_removed_page_has_tombstone_until_it_returns(corpus: Corpus) -> None:
    corpus.publish(SITE)
    corpus.publish({name: text for name, text in SITE.items() if name != "a"} | {"b": "# B\n\nOther."}, OTHER)
    second = latest(corpus.store)
    assert names(second["tombstones"]) == ["a"]
    states = dict(zip(names(second["pages"]), (one["state"] for one in second["pages"]), strict=True))
    assert states == {"b": "changed", **dict.fromkeys("cdefghi", "unchanged")}
    assert {one["since"] for one in second["pages"]} == {1, 2}
    assert second["previous"] == {"version": 1, "manifest_sha256": sha256(manifest_bytes(corpus, 1)).hexdigest()}
    grave = corpus.store.domains.read(f"domains/{DOMAIN}/corpora/v2/{second['tombstones'][0]['path']}")
    assert grave.endswith(b"\n\n<!-- nullified -->\n")
    corpus.publish({name: text for name, text in SITE.items() if name not in "ac"}, "3" * 36)
    assert sorted(names(latest(corpus.store)["tombstones"])) == ["a", "c"], "whoever skipped version 2 learns of it"
    corpus.publish(SITE, "4" * 36)
    assert latest(corpus.store)["tombstones"] == []
    for version in (1, 2, 3, 4):
        is_whole(corpus.store, version)


def manifest_bytes(corpus: Corpus, version: int) -> bytes:
    return corpus.store.domains.read(f"domains/{DOMAIN}/corpora/v{version}/manifest.json")


def test_publish_same_contents_changes_nothing(corpus: Corpus) -> None:
    corpus.approved()
    corpus.publish(SITE)
    before = {path: corpus.store.domains.read(path) for path in corpus.store.domains.paths()}
    assert corpus.publish(SITE).version == 1
    assert {path: corpus.store.domains.read(path) for path in corpus.store.domains.paths()} == before
    assert corpus.rows() == {1: "published"}


def test_publish_without_pages_that_nobody_saw_gone_needs_reason(corpus: Corpus) -> None:
    corpus.publish(SITE)
    left = {name: text for name, text in SITE.items() if name != "a"}
    says = r"1 page of the latest version that no source of the run lists would be removed, .* seen them gone: x\."
    with pytest.raises(PublishingRefused, match=says):
        corpus.publish(left, OTHER, unlisted=("x",))
    assert corpus.publish(left, OTHER, unlisted=("x",), reason="its source is not ours any more").version == 2


def test_publish_change_of_a_third_needs_reason(corpus: Corpus) -> None:
    corpus.publish(SITE)
    changed = SITE | {"a": "Other.", "b": "Other.", "c": "Other."}
    assert corpus.publish(changed, OTHER).version == 2, "a third is not more than a third"
    redesigned = {name: text for name, text in changed.items() if name != "d"} | dict.fromkeys("abc", "Anew.")
    with pytest.raises(PublishingRefused, match="of 9 pages 3 changed and 1 were removed, more than a third"):
        corpus.publish(redesigned, "3" * 36)
    assert (corpus.rows(), latest(corpus.store)["version"]) == ({1: "published", 2: "published"}, 2)
    assert corpus.publish(redesigned, "3" * 36, reason="the site was rebuilt, I looked").version == 3
    assert latest(corpus.store)["reason"] == "the site was rebuilt, I looked"


def test_publish_document_with_wrong_hash_starts_nothing(corpus: Corpus) -> None:
    good = entries(corpus.store)
    lies = {
        "the file has": replace(good[0], doc_id="web_00000000_other"),
        "for source_url": replace(good[0], url=f"https://{DOMAIN}/other"),
        "for content_hash": replace(good[0], content_hash="0" * 64),
        "is missing": replace(good[0], object="0" * 64),
        "is not a valid document": replace(good[0], object=corpus.store.put_object(b"# No front matter")),
        "2 documents have the doc_id": good[1],
    }
    for said, lie in lies.items():
        with pytest.raises(PublishingRefused, match=said):
            publish_version(corpus.ledger, corpus.store, request(), [lie, *good[1:]], now=NOW)
    file = corpus.store.get_object(good[0].object).replace(b"What Acme says", b"What Acme denies")
    forged = replace(good[0], object=corpus.store.put_object(file))
    with pytest.raises(PublishingRefused, match="content_hash does not match the text"):
        publish_version(corpus.ledger, corpus.store, request(), [forged, *good[1:]], now=NOW)
    with pytest.raises(PublishingRefused, match="the version has no pages"):
        publish_version(corpus.ledger, corpus.store, request(), [], now=NOW)
    assert (corpus.rows(), list(corpus.store.domains.paths())) == ({}, [])


def test_publish_restricted_page_is_refused_or_skipped_with_reason(corpus: Corpus) -> None:
    given = [*entries(corpus.store), entry(corpus.store, "z", "# Z\n\nNot for AI.", FORBIDDEN)]
    with pytest.raises(PublishingRefused, match=r"https://www.acme.com/z may not be published: no use by AI"):
        publish_version(corpus.ledger, corpus.store, request(), given, now=NOW)
    row = publish_version(corpus.ledger, corpus.store, request(leaves_out=True), given, now=NOW)
    assert row.pages == 9
    [refused] = latest(corpus.store)["refused"]
    assert (refused["source_url"], refused["reasons"]) == (f"https://{DOMAIN}/z", FORBIDDEN.reasons)
    assert b"Not for AI" not in b"".join(map(corpus.store.domains.read, corpus.store.domains.paths()))


def test_publish_delta_is_merged_into_its_base_version(corpus: Corpus) -> None:
    corpus.publish(SITE)
    base = read_current_version(corpus.store, DOMAIN).manifest
    assert base is not None
    changed = [entry(corpus.store, "b", "# B\n\nOther."), entry(corpus.store, "j", "# J\n\nNew.")]
    gone = {one.doc_id for one in base.pages if one.doc_id.endswith("_a")}
    whole = merge_delta(base, changed, gone)
    assert [one.doc_id.rpartition("_")[2] for one in sorted(whole, key=lambda one: one.url)] == list("bcdefghij")
    row = publish_version(corpus.ledger, corpus.store, request(OTHER, base_version=1), whole, now=NOW)
    assert (row.version, names(latest(corpus.store)["tombstones"])) == (2, ["a"])
    with pytest.raises(PublishingRefused, match="version 2 was published since version 1"):
        publish_version(corpus.ledger, corpus.store, request("3" * 36, base_version=1), whole, now=NOW)


def test_publish_rollback_is_new_version_with_old_pages(corpus: Corpus, tmp_path: Path) -> None:
    corpus.publish(SITE)
    corpus.publish({name: text for name, text in SITE.items() if name != "a"} | {"j": "# J\n\nNew."}, OTHER)
    back = request(None, rolled_back_to=1, reason="j was never approved")
    for wrong in (replace(back, reason=None), replace(back, rolled_back_to=7)):
        with pytest.raises(PublishingRefused):
            roll_back_version(corpus.ledger, corpus.store, wrong, now=NOW)
    row = roll_back_version(corpus.ledger, corpus.store, back, now=NOW)
    manifest = latest(corpus.store)
    assert (row.version, row.rolled_back_to, manifest["rolled_back_to"]) == (3, 1, 1)
    assert sorted(names(manifest["pages"])) == list("abcdefghi")
    assert names(manifest["tombstones"]) == ["j"]
    assert roll_back_version(corpus.ledger, corpus.store, back, now=NOW).version == 3
    again = {name: text for name, text in SITE.items() if name != "a"} | {"j": "# J\n\nNew."}
    assert corpus.publish(again, OTHER).version == 3, "who repeats the publication does not take the rollback back"
    assert latest(corpus.store)["version"] == 3


def test_publish_concurrently_one_of_two_succeeds(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus.publish(SITE)
    move = corpus.store.domains.exchange

    def overtaken(path: str, before: bytes | None, data: bytes) -> bool:
        monkeypatch.setattr(corpus.store.domains, "exchange", move)
        corpus.publish(SITE | {"b": "Theirs."}, OTHER)
        return move(path, before, data)

    monkeypatch.setattr(corpus.store.domains, "exchange", overtaken)
    with pytest.raises(StagingError, match=r"Another version of www\.acme\.com was published while version 2"):
        corpus.publish(SITE | {"a": "Mine."}, "3" * 36)
    assert latest(corpus.store)["version"] == 3
    assert corpus.rows() == {1: "published", 2: "abandoned", 3: "published"}
    with corpus.ledger.connect() as conn:
        [item] = alerts.open_alerts(conn)
    assert (item["event"], item["cause"]) == ("corpus_unpublished", DOMAIN)
    assert corpus.publish(SITE | {"a": "Mine."}, "3" * 36).version == 4


def test_publish_version_named_by_latest_is_completed(corpus: Corpus) -> None:
    corpus.publish(SITE)
    corpus.publish(SITE | {"a": "Other."}, OTHER)
    with corpus.ledger.begin() as conn:
        conn.execute(corpus_versions.delete())  # a backup from before
    assert corpus.publish(SITE | {"b": "Other."}, "3" * 36).version == 3
    assert corpus.rows() == {2: "published", 3: "published"}
    with corpus.ledger.connect() as conn:
        row = published_versions.find_version(conn, DOMAIN, 2)
    assert row is not None
    assert (row.run_id, row.pages, row.published_by) == (OTHER, 9, "bob")


def test_publish_damaged_latest_is_reported(corpus: Corpus, tmp_path: Path) -> None:
    corpus.publish(SITE)
    file = tmp_path / "staged" / LATEST
    whole = file.read_bytes()
    file.write_bytes(json.dumps(json.loads(whole) | {"manifest_sha256": "0" * 64}).encode())
    with pytest.raises(StagingError, match="was changed since it was published"):
        corpus.publish(SITE | {"a": "Other."}, OTHER)
    file.write_bytes(b"{")
    with pytest.raises(StagingError, match="is damaged"):
        corpus.publish(SITE | {"a": "Other."}, OTHER)


@pytest.mark.parametrize("to", ["cancelled", "ready_for_review"])
def test_publish_run_cancelled_while_writing_is_not_published(
    corpus: Corpus, monkeypatch: pytest.MonkeyPatch, to: str
) -> None:
    corpus.publish(SITE, OTHER)
    corpus.approved()
    write = corpus.store.domains.write_new

    def taken_back(path: str, data: bytes) -> bool:
        if path.endswith("manifest.json"):
            with corpus.ledger.begin() as conn:
                run = run_states.find_run(conn, RUN)
                assert run is not None and run_states.move_run(conn, run, to, now=NOW, ends=to == "cancelled")
        return write(path, data)

    monkeypatch.setattr(corpus.store.domains, "write_new", taken_back)
    with pytest.raises(PublishingRefused, match=f"is {to}: it was changed while version 2 was being written"):
        corpus.publish(SITE | {"a": "Other."})
    assert latest(corpus.store)["version"] == 1
    assert (corpus.rows(), corpus.state()) == ({1: "published", 2: "abandoned"}, to)
    assert not verify_staging(corpus.ledger, corpus.store, now=NOW).findings
