"""Ids of documents: of the URL alone, each another, and the same whoever comes first."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from rori_spiders.corpus.documents import identity
from rori_spiders.corpus.documents.identity import doc_id_for, doc_ids
from rori_spiders.urls.canonical import url_hash

BASE = "https://www.acme.com"


def test_doc_id_format() -> None:
    assert doc_id_for(f"{BASE}/pricing") == "web_a13c3d34_pricing"
    assert doc_id_for("HTTPS://www.ACME.com:443/pricing#plans") == "web_a13c3d34_pricing"
    assert doc_id_for(f"{BASE}/rules/1024/5/").endswith("_1024-5")
    assert doc_id_for(f"{BASE}/").endswith("_index")
    assert doc_id_for(f"{BASE}/guide.PDF").startswith("pdf_")
    assert doc_id_for(f"{BASE}/wiki/Escrow").startswith("wiki_")
    with pytest.raises(ValueError, match="not an http"):
        doc_id_for("ftp://acme.com/x")


_urls = some.lists(some.sampled_from([f"{BASE}/{path}{n}" for path in ("a/b", "a%2Fb", "b?x=", "") for n in range(20)]))


@given(_urls, some.randoms())
@settings(max_examples=60, deadline=None, derandomize=True)
def test_doc_ids_are_unique_in_any_order(urls: list[str], shuffled: object) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(identity, "url_hash", lambda url: f"{len(url) % 3}" * 8 + url_hash(url)[8:])
        named = doc_ids(urls)
        assert len(set(named.values())) == len(named)
        assert doc_ids([*reversed(urls), *urls]) == named


def test_doc_ids_shared_id_stays_with_one(monkeypatch: pytest.MonkeyPatch) -> None:
    hashes = {f"{BASE}/b?n=1": "a" * 63 + "1", f"{BASE}/b?n=2": "a" * 63 + "0"}
    monkeypatch.setattr(identity, "url_hash", hashes.__getitem__)
    first, second = hashes
    assert doc_ids(hashes) == {second: "web_aaaaaaaa_b", first: "web_aaaaaaaaaaaaaaaa_b"}
    # What was given before stays, though the other would come first, and though its page is gone.
    assert doc_ids(hashes, {first: "web_aaaaaaaa_b"}) == {second: "web_aaaaaaaaaaaaaaaa_b", first: "web_aaaaaaaa_b"}
    assert doc_ids([second], {first: "web_aaaaaaaa_b"}) == {second: "web_aaaaaaaaaaaaaaaa_b"}
