"""A document in chunks: nothing is lost, each is readable alone, and the same text has the same id."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rori_spiders.corpus.auditing.chunks import estimate_tokens
from rori_spiders.corpus.chunks.chunker import CHUNK_TOKENS, LEAD_TOKENS, split_document

if TYPE_CHECKING:
    from rori_spiders.corpus.chunks.chunker import Chunk

URL = "https://www.ecfr.gov/current/title-12/part-1007"
LONG = "A covered financial institution must require each employee to submit the following to the Registry. "
LAW = f"""# PART 1007—S.A.F.E. MORTGAGE LICENSING ACT

## § 1007.102 Definitions.

For purposes of this part, the following definitions apply:

*Bureau* means the Bureau of Consumer Financial Protection.

*Mortgage loan originator* means

(1) An individual who:

(i) Takes an application; and

(ii) {LONG * 40}

(2)(i) The term does not include:

(A) An individual who performs clerical tasks.

## § 1007.103 Registration.

(a) *Registration requirement*—(1) *Employees.* Each employee must register.

(2) *Institutions*—(i) *In general.* {LONG * 40}

(ii) *Prohibition.* An institution must not permit it.

(d) A gap.

(e) *Required information.* For purposes of the registration required by this section, the institution must submit:

(1) *Record.* {LONG * 20}

(2) *Employees.* {LONG * 20}

## § 1007.104 Tables.

The amounts are as follows:

| Year | Amount |
| --- | --- |
{chr(10).join(f"| {year} | ${year * 7} |" for year in range(1900, 2020))}
"""


def split(body: str, url: str = URL) -> list[Chunk]:
    return split_document(body, doc_id="web_12345678_x", url=url, title=None)


def by_designation(name: str) -> Chunk:
    """The chunk in which the paragraph begins."""
    [found] = [one for one in split(LAW) if f"12 C.F.R. {name}" in one.designations]
    return found


def test_split_document_law_names_paragraphs_as_citations_do() -> None:
    assert by_designation("§ 1007.103(a)(2)(ii)").designation == "12 C.F.R. § 1007.103(a)(2)(ii)"
    assert by_designation("§ 1007.103(a)(1)").path[:2] == ("PART 1007", "§ 1007.103")
    assert by_designation("§ 1007.103(e)(2)").path == ("PART 1007", "§ 1007.103", "(e)", "(2)")
    assert by_designation("Part 1007").designations[0] == "12 C.F.R. Part 1007"


def test_split_document_gap_in_enumerators_gives_no_designation() -> None:
    [gap] = [one for one in split(LAW) if "A gap." in one.text]
    assert not any("(d)" in name for name in gap.designations)
    assert "12 C.F.R. § 1007.103(e)" in {name for one in split(LAW) for name in one.designations}


def test_split_document_definition_is_not_cited_by_its_enumerators() -> None:
    chunks = [one for one in split(LAW) if "Mortgage loan originator" in one.path]
    assert {one.designation for one in chunks} == {"12 C.F.R. § 1007.102"}
    assert all(one.lead_in[0] == "For purposes of this part, the following definitions apply:" for one in chunks)
    [clerical] = [one for one in chunks if "clerical" in one.text]
    assert "(2)(i) The term does not include:" in clerical.text


def test_split_document_keywords_are_citations_and_defined_terms() -> None:
    chunks = split(LAW)
    defined = next(one for one in chunks if "*Bureau* means" in one.text)
    assert "definition of Bureau in part 1007" in defined.keywords
    later = next(one for one in chunks if "clerical" in one.text)
    assert later.keywords[0] == "12 CFR § 1007.102"
    assert by_designation("§ 1007.103(e)(2)").keywords[0] == "12 CFR § 1007.103(e)(2)"
    assert all({one.replace(" C.F.R.", " CFR") for one in of.designations} <= {*of.keywords} for of in chunks)
    assert split("# Fares\n\nA ticket costs 3 crowns.")[0].keywords == ()
    [enumerated] = split("# Part 1007\n\n## § 1007.3 Terms\n\n(a) *Fare* means a price.\n\n(b) A fare is paid.")
    assert [one for one in enumerated.keywords if "definition" in one] == ["definition of Fare in part 1007"]


def test_split_document_paragraph_has_the_lead_in_of_its_parents() -> None:
    chunk = by_designation("§ 1007.103(e)(2)")
    intro = "For purposes of the registration required by this section, the institution must submit:"
    assert chunk.lead_in == (f"(e) *Required information.* {intro}",)
    assert chunk.text.startswith(
        "[Section: PART 1007—S.A.F.E. MORTGAGE LICENSING ACT > § 1007.103 Registration. > (e)(2)]"
    )
    assert by_designation("§ 1007.103(a)(2)(ii)").lead_in == ("(a) *Registration requirement*—", "(2) *Institutions*—")


def test_split_document_long_table_repeats_its_titles() -> None:
    parts = [one for one in split(LAW) if one.kind == "table"]
    assert len(parts) > 1
    assert all("| Year | Amount |\n| --- | --- |\n|" in one.text for one in parts)
    assert all(one.lead_in == ("The amounts are as follows:",) for one in parts[1:])
    assert parts[0].table_head == ""


def test_split_document_comments_are_named_by_paragraph_and_point() -> None:
    comments = f"""# PART 1002—EQUAL CREDIT OPPORTUNITY ACT

Supplement I to Part 1002—Official Interpretations

Section 1002.2—Definitions

*2(c) Adverse action.*

*Paragraph 2(c)(1)(i).*

1\\. *Application for credit.* {LONG * 10}

2\\. *Move.* The following hold:

i. {LONG * 20}

ii. {LONG * 20}
"""
    chunks = split(comments, "https://www.ecfr.gov/current/title-12/part-1002")
    names = [name for one in chunks for name in one.designations]
    assert "12 C.F.R. Part 1002, Supplement I, comment 2(c)(1)(i)-1" in names
    assert "12 C.F.R. Part 1002, Supplement I, comment 2(c)(1)(i)-2.ii" in names
    assert chunks[-1].lead_in[-1] == "2\\. *Move.* The following hold:"


def test_split_document_list_goes_on_with_what_introduces_it() -> None:
    items = "\n".join(f"- Item {number}: {LONG}" for number in range(60))
    chunks = split(f"# Guide\n\nBring these papers:\n\n{items}\n\nAnother paragraph.", "https://www.hud.gov/guide")
    assert len(chunks) > 2
    assert all(one.text.count("Bring these papers:") == 1 for one in chunks if "Item" in one.text)
    assert chunks[1].lead_in == ("Bring these papers:",)


def test_split_document_changed_paragraph_changes_one_id() -> None:
    before, after = (
        split(LAW),
        split(LAW.replace("An institution must not permit it.", "An institution must forbid it.")),
    )
    assert len({one.id for one in before} ^ {one.id for one in after}) == 2
    inserted = split(LAW.replace("(d) A gap.", "(d) A gap.\n\nAnother sentence that stands here."))
    assert len({one.id for one in before} - {one.id for one in inserted}) <= 1


def test_split_document_same_text_twice_has_two_ids() -> None:
    chunks = split(f"## Fees\n\n{LONG * 40}\n\n## Fees\n\n{LONG * 40}")
    assert len({one.id for one in chunks}) == len(chunks)


def test_split_document_finds_citations_where_they_stand() -> None:
    body = "# § 1007.1 Scope\n\nAs 12 CFR 1024.17(c)(1) says, and 15 U.S.C. 1601 too."
    [chunk] = split(body)
    assert [(one.canonical, body[one.start : one.end]) for one in chunk.citations] == [
        ("12 C.F.R. § 1024.17(c)(1)", "12 CFR 1024.17(c)(1)"),
        ("15 U.S.C. § 1601", "15 U.S.C. 1601"),
    ]


_BLOCKS = """

# A
## § 9.1 B
#### Deep
Some text of no kind.
It is as follows:
(a) One
(b) *Two.* (1) Three
(1) x
(i) y
(ii) z
(A) w
- item
  - inner
    more of it
1. first
| a | b |
| --- | --- |
| 1 | 2 |
```
> quoted
>
*Term* means this
Section 4. Short
Supplement I to Part 9
1\\. Point
*Paragraph 4(a).*
Article IV
**bold**
(zz) odd"""
_LINES = st.sampled_from([*_BLOCKS.splitlines(), "word " * 700, "| cell | " * 300, "\u2028x"])


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(st.lists(_LINES, max_size=40).map("\n".join))
def test_split_document_any_text_is_covered_in_order(body: str) -> None:
    chunks = split(body)
    at = 0
    for one in chunks:
        assert one.start >= at
        assert not body[at : one.start].strip(" \n>\u2028")
        assert one.end > one.start
        assert body[one.start : one.end] in one.text
        at = one.end
    assert not body[at:].strip(" \n>\u2028")
    assert len({one.id for one in chunks}) == len(chunks)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.sampled_from(["(a) Some words.", "(1) Others.", "- item", "# Head", "Text here."]), max_size=200))
def test_split_document_chunks_of_small_blocks_fit(lines: list[str]) -> None:
    body = "\n\n".join(lines)
    assert all(estimate_tokens(body[one.start : one.end]) <= CHUNK_TOKENS + LEAD_TOKENS for one in split(body))
