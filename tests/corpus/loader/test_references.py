"""Who refers to whom in a published version: by URL, by document, by citation and what stands below it."""

from __future__ import annotations

import pytest

from rori_spiders.corpus.loader.references import find_references
from rori_spiders.exceptions import ActionRefused
from rori_spiders.urls.canonical import url_hash
from tests.corpus.publishing.conftest import Corpus, corpus, ledger
from tests.corpus.publishing.factories import DOMAIN

__all__ = ["corpus", "ledger"]
HOST = f"https://{DOMAIN}"
SITE = {
    "a": f"# A\n\nSee [the other page]({HOST}/b). As 12 CFR 1024.17(c) says.",
    "b": "# B\n\nAs 12 CFR 1024.17(f)(1) says.",
}


def test_find_references_by_target_and_origin(corpus: Corpus) -> None:
    with pytest.raises(ActionRefused, match="no published version"):
        find_references(corpus.store, DOMAIN)
    corpus.publish(SITE)
    every = find_references(corpus.store, DOMAIN)
    assert (every.version, every.in_all, len(every.rows)) == (1, 3, 3)
    [link] = find_references(corpus.store, DOMAIN, to=f"{HOST}/b").rows
    assert (link["from_url"], link["to_url"], link["resolution"]) == (f"{HOST}/a", f"{HOST}/b", "exact")
    cited = find_references(corpus.store, DOMAIN, to="12 C.F.R. § 1024.17").rows
    assert [row["citation"] for row in cited] == ["12 C.F.R. § 1024.17(c)", "12 C.F.R. § 1024.17(f)(1)"]
    assert [row["from_url"] for row in find_references(corpus.store, DOMAIN, from_page=f"{HOST}/b").rows] == [
        f"{HOST}/b"
    ]
    assert find_references(corpus.store, DOMAIN, resolution="missing").rows == []


def test_find_references_target_in_any_spelling_is_found(corpus: Corpus) -> None:
    corpus.publish(SITE)
    both = ["12 C.F.R. § 1024.17(c)", "12 C.F.R. § 1024.17(f)(1)"]
    spellings = {
        "12 CFR 1024.17": both,
        "12 CFR part 1024": both,
        "12 CFR 1024.17(f)": both[1:],
        "12 CFR 1024.1": [],
        "12 CFR part 102": [],
        f"{HOST.upper()}/b#top": [f"{HOST}/b"],
        HOST: [],
    }
    found = {to: find_references(corpus.store, DOMAIN, to=to).rows for to in spellings}
    assert {to: [row["citation"] for row in rows] for to, rows in found.items()} == spellings


def test_find_references_in_order_of_numbers_with_titles_and_pages(corpus: Corpus) -> None:
    site = dict.fromkeys(("rule-10", "rule-9", "a-rule"), "# A rule\n\nAs 12 CFR 1024.17(c) says.")
    corpus.publish(site)
    rows = find_references(corpus.store, DOMAIN, to="12 CFR 1024.17").rows
    assert [row["from_title"] for row in rows] == ["A-Rule", "Rule-9", "Rule-10"]
    assert rows[0]["from_page_id"] == url_hash(f"{HOST}/a-rule")[:16]
    assert (rows[0]["to_url"], rows[0]["to_title"]) == ("https://www.ecfr.gov/current/title-12/section-1024.17", None)
