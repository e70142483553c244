"""The reference loader, and what reconciling says of its index: as docs/explanation/corpus.md promises both."""

from __future__ import annotations

import json
import shutil
import sqlite3
import sys
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from rori_spiders.corpus.loader.__main__ import main
from rori_spiders.corpus.loader.index import Index, length_of_asked_term, read_question
from rori_spiders.corpus.publishing.current_version import read_current_version
from rori_spiders.corpus.publishing.loader_runner import Loader, start_loader
from rori_spiders.corpus.publishing.reconciliation import DRIFT_KINDS, ListedDocument, parse_listing, reconcile_listing
from rori_spiders.exceptions import UsageError
from rori_spiders.staging.store_factory import open_store
from tests.corpus.publishing.factories import DOMAIN, NOW, SITE, is_whole
from tests.support.cases import cases

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from rori_spiders.corpus.publishing.version_manifest import Manifest
    from tests.corpus.publishing.conftest import Corpus
    from tests.staging.s3.fixtures import Area


@pytest.fixture
def index(tmp_path: Path) -> Path:
    return tmp_path / "index.db"


class Loading:
    """The loader over the versions of a corpus."""

    def __init__(self, corpus: Corpus, index: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.corpus, self.index, self._capsys = corpus, index, capsys

    def __call__(self, version: str, *options: str, code: int = 0, tenant: str = DOMAIN) -> list[dict[str, Any]]:
        source = f"{self.corpus.store.location}/domains/{DOMAIN}/corpora{version}"
        assert main([str(self.index), *options], {"TENANT_ID": tenant, "SOURCE_DIR": source}) == code
        self.said = self._capsys.readouterr()
        return [json.loads(line) for line in self.said.out.splitlines()]

    def listing(self) -> list[ListedDocument]:
        self("", "--list")
        return list(parse_listing(self.said.out.splitlines()))

    def drifts(self) -> dict[str, str]:
        return {one.doc_id.rpartition("_")[2]: one.kind for one in reconcile_listing(self.manifest(), self.listing())}

    def manifest(self) -> Manifest:
        found = read_current_version(self.corpus.store, DOMAIN).manifest
        assert found is not None
        return found

    def counts(self, version: str) -> Mapping[str, int]:
        first, *_, last = self(version)
        assert first.keys() == {"execution_id"}
        return {name: number for name, number in last.items() if name != "version" and number}


@pytest.fixture
def loading(corpus: Corpus, index: Path, capsys: pytest.CaptureFixture[str]) -> Loading:
    return Loading(corpus, index, capsys)


def test_loader_loads_changes_and_deletes_tombstones(corpus: Corpus, loading: Loading) -> None:
    corpus.publish(SITE)
    assert loading.counts("/v1") == {"added": 9, "chunks_added": 9}
    assert loading.counts("/v1") == {"unchanged": 9}
    assert loading.drifts() == {}
    corpus.publish({name: text for name, text in SITE.items() if name != "a"} | {"b": "# B\n\nNow in teal."}, "2" * 36)
    assert loading.drifts() == {"a": "not_removed", "b": "other_hash"}
    changed = {"changed": 1, "removed": 1, "unchanged": 7, "chunks_added": 1, "chunks_removed": 2}
    assert loading.counts("/v2") == changed
    assert loading.drifts() == {}
    index = Index(loading.index)
    assert [name.rpartition("_")[2] for name, _ in index.find(DOMAIN, "teal")] == ["b"]
    assert index.find(DOMAIN, "says of b") == index.find(DOMAIN, "says of a") == []
    [(_, chunk)] = index.find(DOMAIN, "says of c")
    assert chunk == "[Section: C]\n\n# C\n\nWhat Acme says of c."
    assert "doc_id" not in chunk


def test_loader_skipped_versions_give_same_index(corpus: Corpus, loading: Loading) -> None:
    corpus.publish(SITE)
    loading("/v1")
    corpus.publish({name: text for name, text in SITE.items() if name != "a"}, "2" * 36)
    corpus.publish({name: text for name, text in SITE.items() if name not in "ab"}, "3" * 36)
    assert loading.counts("") == {"removed": 2, "unchanged": 7, "chunks_removed": 2}
    assert loading.drifts() == {}
    loading("/v2", code=1)
    assert "the index has version 3 of www.acme.com, newer than 2" in loading.said.err
    assert len(loading.listing()) == 7


def test_loader_inconsistent_version_loads_nothing(corpus: Corpus, loading: Loading, tmp_path: Path) -> None:
    corpus.publish(SITE)
    folder = tmp_path / "staged" / "domains" / DOMAIN / "corpora" / "v1"
    whole = json.loads((folder / "manifest.json").read_text())
    page = folder / whole["pages"][4]["path"]
    text = page.read_bytes()
    page.write_bytes(text + b" ")
    loading("/v1", code=1)
    assert "does not match its manifest" in loading.said.err
    page.unlink()
    loading("/v1", code=1)
    assert "is missing: the version is incomplete" in loading.said.err
    page.write_bytes(text)
    for wrong in (
        {"pages": [*whole["pages"], whole["pages"][0]]},
        {"pages": [whole["pages"][0] | {"path": "pages/../../secret.md"}]},
        {"version": 2},
        {"domain": "other.com"},
        {"format": "rori-corpus-version/2"},
        {"tombstones": [{**whole["pages"][0], "path": f"tombstones/{whole['pages'][0]['doc_id']}.md"}]},
    ):
        (folder / "manifest.json").write_text(json.dumps(whole | wrong))
        loading("/v1", code=1)
        assert "is inconsistent" in loading.said.err
    (folder / "manifest.json").unlink()
    loading("/v1", code=1)
    assert "its manifest is missing" in loading.said.err
    assert loading.listing() == []


@pytest.mark.parametrize("version", ["/v1/pages", "/v0x", "/../other"])
def test_loader_other_location_is_refused(corpus: Corpus, loading: Loading, version: str) -> None:
    corpus.publish(SITE)
    loading(version, code=1)
    assert "Nothing was loaded: " in loading.said.err
    loading("/v1", tenant="other.com", code=1)
    assert "is not the folder of a version of other.com" in loading.said.err


def test_loader_version_in_bucket_is_loaded_by_command(corpus: Corpus, area: Area, loading: Loading) -> None:
    corpus.store = open_store(area.uri)
    corpus.publish({"a": SITE["a"]})
    command = (sys.executable, "-m", "rori_spiders.corpus.loader", str(loading.index))
    row = start_loader(corpus.ledger, corpus.store, Loader(command), DOMAIN, 1, clock=lambda: NOW)
    assert (row.loader_state, row.loader_says) == ("done", None)
    assert len(row.loader_execution) == 36
    assert loading.drifts() == {}


def test_reconcile_listing_every_drift_is_named(corpus: Corpus, loading: Loading) -> None:
    corpus.publish(SITE)
    corpus.publish({name: text for name, text in SITE.items() if name != "a"}, "2" * 36)
    loading("/v2")
    manifest = loading.manifest()
    right = loading.listing()
    assert reconcile_listing(manifest, right) == []
    grave = manifest.tombstones[0].doc_id
    wrong = [
        *right[2:],
        right[2],
        ListedDocument(right[1].doc_id, None),
        ListedDocument("web_0_x", "0" * 64),
        ListedDocument(grave, "1" * 64),
    ]
    assert [(one.kind, one.doc_id) for one in reconcile_listing(manifest, wrong)] == [
        ("missing", right[0].doc_id),
        ("not_removed", grave),
        ("other_hash", right[1].doc_id),
        ("unknown", "web_0_x"),
        ("doubled", right[2].doc_id),
    ]
    assert {one.kind for one in reconcile_listing(manifest, [])} == {"missing"}
    assert list(DRIFT_KINDS) == ["missing", "not_removed", "other_hash", "unknown", "doubled"]


def test_reconcile_listing_invalid_listing_is_refused() -> None:
    lines = ['{"execution_id": "e"}', "", '{"doc_id": "a", "content_hash": "sha256:ab", "more": 1}', '{"doc_id": "b"}']
    assert list(parse_listing(lines)) == [ListedDocument("a", "ab"), ListedDocument("b", None)]
    for line in ("nothing", "[]", '{"doc_id": 7}'):
        with pytest.raises(UsageError, match="line 1 of the listing"):
            list(parse_listing([line]))


def test_loader_copied_staging_area_is_loaded(corpus: Corpus, loading: Loading, tmp_path: Path) -> None:
    corpus.publish(SITE)
    shutil.copytree(tmp_path / "staged", tmp_path / "moved")
    corpus.store = open_store(tmp_path / "moved")
    is_whole(corpus.store, 1)
    assert loading.counts("") == {"added": 9, "chunks_added": 9}


def test_loader_changed_paragraph_replaces_its_chunk_alone(corpus: Corpus, loading: Loading) -> None:
    law = [f"({letter}) *Rule {letter}.* " + f"What {letter} asks of a lender. " * 30 for letter in "abcde"]
    corpus.publish({"law": "\n\n".join(["# Part 9", "## § 9.1 Duties.", *law])})
    assert loading.counts("/v1") == {"added": 1, "chunks_added": 5}
    law[2] = law[2].replace("asks", "wants")
    corpus.publish({"law": "\n\n".join(["# Part 9", "## § 9.1 Duties.", *law])}, "2" * 36, reason="all of it")
    assert loading.counts("/v2") == {"changed": 1, "chunks_added": 1, "chunks_removed": 1}
    [(_, chunk)] = Index(loading.index).find(DOMAIN, "wants")
    assert chunk.startswith("[Section: Part 9 > § 9.1 Duties. > (c)]\n\n(c) *Rule c.* What c wants")


def test_index_find_citation_gives_its_paragraph(corpus: Corpus, loading: Loading) -> None:
    law = [f"({letter}) *Rule {letter}.* " + f"What {letter} asks of a lender. " * 30 for letter in "abc"]
    corpus.publish(
        {"law": "\n\n".join(["# 12 CFR Part 1024", "## § 1024.5 Duties.", *law]), "a": "# A\n\nSee a lender."}
    )
    loading("/v1")
    (_, chunk), *_ = Index(loading.index).find(DOMAIN, "What does 12 CFR 1024.5(b) say?")
    assert "(b) *Rule b.*" in chunk
    assert Index(loading.index).find(DOMAIN, "15 U.S.C. 1601") == []
    [(_, chunk)] = Index(loading.index).find(DOMAIN, "CFR rule c")
    assert "(c) *Rule c.*" in chunk
    assert "CFR" not in chunk.partition("\n\n")[2]


@pytest.mark.parametrize("cited", ["12 CFR 1024.5(b)", "1024.5(b)"])
def test_index_find_citation_gives_what_is_asked_of_it(corpus: Corpus, loading: Loading, cited: str) -> None:
    """The paragraph itself, or what refers to it: before those that have more of the question's words."""
    law = [f"({letter}) *Rule {letter}.* " + f"Who asks, {letter} answers of a lender. " * 30 for letter in "abcdef"]
    law[2] += "It is sent by paragraph (b) of this section."
    law[4] += "It is signed under paragraph (b) of this section."
    corpus.publish({"law": "\n\n".join(["# 12 CFR Part 1024", "## § 1024.5 Duties.", *law])})
    loading("/v1")
    index = Index(loading.index)
    assert _rules(index.find(DOMAIN, f"Who answers a lender by {cited}?", 3))[:1] == ["b"]
    for asked in ("What refers to {}: signed?", "paragraphs citing {}, signed"):
        found = _rules(index.find(DOMAIN, asked.format(cited), 3))
        assert found[:2] == ["e", "c"] and len(found) == 3
    assert _rules(index.find(DOMAIN, f"references to {cited}", 2)) == ["c", "e"], "no word ranks them"


def test_index_find_what_refers_ranks_by_sentence_that_refers(corpus: Corpus, loading: Loading) -> None:
    """Not by the whole chunk, whose other sentences may have the words for another reason."""
    long = "It applies to a sale. " * 40
    law = [f"({letter}) *Rule {letter}.* {long}" for letter in "abcd"]
    law[1] += "A deed is signed. It is a signed deed. Fees are as paragraph (a) of this section has them."
    law[2] += "A deed is signed as paragraph (a) of this section wants it."
    corpus.publish({"law": "\n\n".join(["# 12 CFR Part 1024", "## § 1024.5 Duties.", *law])})
    loading("/v1")
    found = Index(loading.index).find(DOMAIN, "What refers to 1024.5(a): signed deed?", 2)
    assert _rules(found) == ["c", "b"]


def test_index_find_what_refers_to_section_includes_its_paragraphs(corpus: Corpus, loading: Loading) -> None:
    pages = {"a": "# A\n\n*Rule a.* As 12 CFR 1024.17(c)(1) says.", "b": "# B\n\n*Rule b.* As 12 CFR 1024.171 says."}
    corpus.publish(pages | {"c": "# C\n\n*Rule c.* As 12 CFR 1024.17(d) says."})
    loading("/v1")
    index = Index(loading.index)
    assert set(_rules(index.find(DOMAIN, "what refers to 1024.17", 2))) == {"a", "c"}
    assert _rules(index.find(DOMAIN, "what refers to 12 CFR 1024.17(c)", 1)) == ["a"]


def test_index_find_meaning_of_term_gives_its_definition(corpus: Corpus, loading: Loading) -> None:
    """Not the chunks that use the term most, nor that of a shorter term."""
    terms = [f"*{term}* means the {word} of a rule a. *Rule {word[0]}.*" for term, word in TERMS.items()]
    use = "A settlement service is a service at a settlement, as its settlement costs mean. " * 9
    law = ["# 12 CFR Part 1024", "## § 1024.2 Definitions.", *terms, "## § 1024.3 Duties.", f"*Rule z.* {use}"]
    corpus.publish({"law": "\n\n".join([*law[:2], *(one + " It says more. " * 60 for one in terms), *law[-2:]])})
    loading("/v1")
    index = Index(loading.index)
    for asked in ("What does Settlement service mean in part 1024?", "definition of settlement service"):
        assert _rules(index.find(DOMAIN, asked))[0] == "w", asked
    assert _rules(index.find(DOMAIN, "meaning of settlement"))[0] == "c"


@cases(
    ("words", "length"),
    [
        ("What does Settlement mean in part 1024?", len("settlement")),
        ("Define “settlement service”", len("settlement service")),
        ("meaning of settlement services", len("settlement")),
        ("What does Settlement mean in part 1026?", 0),
        ("When is the settlement?", 0),
        ("What does resettlement mean?", 0),
        ("settlement, as the term broker is defined", 0),
        ("How is the term settlement defined?", len("settlement")),
    ],
)
def test_length_of_asked_term_is_that_of_longest_defined_term(words: str, length: int) -> None:
    terms = ("Settlement", "Settlement service")
    keywords = ["12 CFR § 1024.2(b)", *(f"definition of {term} in part 1024" for term in terms)]
    assert length_of_asked_term(keywords, words) == length


TERMS = {"Settlement": "closing", "Settlement service": "work"}


def _rules(found: list[tuple[str, str]]) -> list[str]:
    return [chunk.partition("*Rule ")[2][0] for _, chunk in found]


@cases(
    ("words", "read"),
    [
        ("Say 12 CFR 1024.17(c)(1)", (("12 C.F.R. § 1024.17(c)(1)",), "Say", False)),
        ("who refers to 1024.17(c), fees", (("§ 1024.17(c)",), "who to , fees", True)),
        ("what refers to escrow", ((), "what to escrow", False)),
        ("fee of $1.50, a rate of 5.25%, version 1.2.3", ((), "fee of $1.50, a rate of 5.25%, version 1.2.3", False)),
    ],
)
def test_read_question_bare_number_is_a_section_and_an_amount_is_not(words: str, read: tuple[object, ...]) -> None:
    names, rest, asks = read_question(words)
    assert (names, " ".join(rest.split()), asks) == read


def test_loader_version_without_chunks_is_split_here(corpus: Corpus, loading: Loading, tmp_path: Path) -> None:
    corpus.publish({"c": SITE["c"]})
    folder = tmp_path / "staged" / "domains" / DOMAIN / "corpora" / "v1"
    whole = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps({name: one for name, one in whole.items() if name != "chunks"}))
    assert loading.counts("/v1") == {"added": 1, "chunks_added": 1}
    [(_, chunk)] = Index(loading.index).find(DOMAIN, "says of c")
    assert chunk.startswith("C\n\n[Section: C]\n\n")


def test_loader_damaged_chunks_load_nothing(corpus: Corpus, loading: Loading, tmp_path: Path) -> None:
    corpus.publish(SITE)
    chunks = tmp_path / "staged" / "domains" / DOMAIN / "corpora" / "v1" / "chunks.jsonl"
    chunks.write_bytes(chunks.read_bytes().replace(b"says of a", b"says of b"))
    loading("/v1", code=1)
    assert "chunks.jsonl does not match its manifest" in loading.said.err
    chunks.unlink()
    loading("/v1", code=1)
    assert "is missing: the version is incomplete" in loading.said.err


def test_index_of_earlier_release_is_made_anew(corpus: Corpus, loading: Loading) -> None:
    with closing(sqlite3.connect(loading.index)) as conn:
        conn.executescript(
            "CREATE TABLE loaded (tenant TEXT PRIMARY KEY, version INTEGER NOT NULL);"
            "CREATE TABLE documents (tenant TEXT, doc_id TEXT, content_hash TEXT, source_url TEXT);"
            "CREATE TABLE chunks (id INTEGER PRIMARY KEY, tenant TEXT, doc_id TEXT, text TEXT NOT NULL);"
            "CREATE VIRTUAL TABLE words USING fts5 (text, content='chunks', content_rowid='id');"
            f"INSERT INTO loaded VALUES ('{DOMAIN}', 7);"
        )
    corpus.publish(SITE)
    assert loading.counts("/v1") == {"added": 9, "chunks_added": 9}
