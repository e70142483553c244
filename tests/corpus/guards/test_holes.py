"""Lies that once passed (and neighbours of theirs), each by its own way; honest cleanings that were once refused."""

from __future__ import annotations

import pytest

from rori_spiders.corpus.guards.judgement import judge_cleaned_text
from tests.support.cases import cases

_START = "# Loans\n\nText of the page.\n\n"


def passes(draft: str, cleaned: str, title: str | None = "Loans") -> bool:
    return judge_cleaned_text(_START + draft, _START + cleaned, title=title).passed


@cases(
    ("draft", "cleaned"),
    [
        pytest.param(
            "Services\n: They may be:\n\n  - free\n  - paid\n",
            "Services\n: They may be:\n\n  - free\n- paid\n",
            id="an item leaves its definition",
        ),
        pytest.param(
            "|  |  |\n| --- | --- |\n| May 1 | July 2 |\n| May 3 | July 4 |\n",
            "- May 1, July 2\n- May 3, July 4\n",
            id="a table without titles loses its columns",
        ),
        pytest.param(
            "## News\n\n### Court News\n\nFees rise.\n",
            "## News\n\n## Court News\n\nFees rise.\n",
            id="a section leaves another of a like name",
        ),
        pytest.param(
            "## Loans of veterans\n\nAll may ask.\n\n### Veterans\n\nThey pay nothing down.\n",
            "## Loans of veterans\n\nAll may ask.\n\nThey pay nothing down.\n",
            id="a heading goes whose words stand within another",
        ),
        pytest.param("Veterans qualify.\n", "Vete&#8203;rans qualify.\n", id="a sign without room, by its number"),
        pytest.param("Veterans qualify.\n", "Vete&shy;rans qualify.\n", id="a sign without room, by its name"),
        pytest.param("See # 5 now.\n", "See\u2028# 5 now.\n", id="a line that only some programs see"),
        pytest.param(
            "- ### Small\n\n  Free.\n\nAll others pay.\n",
            "- ### Small\n\n  Free.\n\n  All others pay.\n",
            id="a paragraph goes below the heading of an item",
        ),
    ],
)
def test_guard_former_hole_is_closed(draft: str, cleaned: str) -> None:
    assert not passes(draft, cleaned)


@cases(
    "block",
    [
        "## Related\n\n- [Errata](https://a.gov/errata)\n- [Opinion revisions](https://a.gov/revisions)",
        "## Other charges\n\n- [Wire charge](https://a.gov/wire)",
        "## Next steps\n\n- [Call a counselor](https://a.gov/call)",
        "## Related\n\n[Late payment raises the rate.](https://a.gov/late)",
        "## Other lenders qualify",
        "Read all loan documents before closing.",
        "Start repaying the loan now.",
        "Home | The lender pays closing costs",
        "[Borrowers pay the appraiser](#appraisal)",
    ],
)
def test_guard_text_like_boilerplate_stays(block: str) -> None:
    assert not passes(f"{block}\n\n## More\n\nText.\n", "## More\n\nText.\n")


@cases(
    ("draft", "cleaned"),
    [
        pytest.param(
            "| [Date](https://a.gov/?by=date) | **Kind:** |\n| --- | --- |\n| May 1 | Board |\n| May 2 | Staff |\n",
            "[Date](https://a.gov/?by=date): May 1; **Kind:**: Board\n\n"
            "[Date](https://a.gov/?by=date): May 2; Kind: Staff\n",
            id="titles of columns with links and colons",
        ),
        pytest.param(
            "| Date | Judge |\n| --- | --- |\n| March |  |\n| May 2 | Roe |\n",
            "For March, .\n\nFor May 2, the Judge is Roe.\n",
            id="a row with a first cell alone",
        ),
        pytest.param(
            "## [Fees](https://a.gov/fees)\n\nText.\n\n### Small\n\nText.\n",
            "## [Fees](https://a.gov/fees)\n\nText.\n\n### [Fees](https://a.gov/fees): Small\n\nText.\n",
            id="a heading takes the one above it with its link",
        ),
        pytest.param("```\nrate = 5 \n```\n", "```\nrate = 5\n```\n", id="blanks at the ends of lines of code"),
        pytest.param("*See https://a.gov/x*\n", "_See https://a.gov/x_\n", id="emphasis behind an address"),
        pytest.param("*only* here\n", "_only_ here\n", id="emphasis round a word of denial"),
        pytest.param(
            "### Fees\n\nText.\n\n- ### Small\n\n  Free.\n",
            "## Fees\n\nText.\n\n- ### Small\n\n  Free.\n",
            id="a level closed up above the heading of an item",
        ),
        pytest.param(
            "Home > Loans\n\n[Points](#points)\n\n## Points\n\nText.\n",
            "## Points\n\nText.\n",
            id="a trail, a contents",
        ),
    ],
)
def test_guard_formerly_refused_honest_cleaning_passes(draft: str, cleaned: str) -> None:
    assert passes(draft, cleaned)


def test_guard_link_of_title_told_in_prose_is_compared() -> None:
    table = "| [Date](https://a.gov/?by=date) | Kind |\n| --- | --- |\n| May 1 | Board |\n"
    assert not passes(table, "[Date](https://b.gov/): May 1; Kind: Board\n")
    assert not passes(table, "May 1: Kind Board\n")  # lost


def test_guard_beginning_of_title_may_be_heading() -> None:
    title = "Minister Roe: new fees for lenders - Bureau of Examples"
    draft = "The fees rise.\n"
    for heading, passed in (("Minister Roe: new fees for lenders", True), ("new fees for lenders", False)):
        assert judge_cleaned_text(draft, f"# {heading}\n\n{draft}", title=title).passed is passed
    assert not judge_cleaned_text(draft, f"# Free loans\n\n{draft}", title="Free loans - not available").passed
    for title, heading, passed in (
        ("No page was found | USAGov", "No page was found", True),
        ("No fees - for veterans | USAGov", "No fees", False),
        ("No fees | not for loans", "No fees", False),
        ("No fees: for veterans", "No fees", False),
    ):
        assert judge_cleaned_text(draft, f"# {heading}\n\n{draft}", title=title).passed is passed, title


def test_guard_links_below_contact_are_no_navigation() -> None:
    link = "\n[Home | The lender pays closing costs](https://a.gov/more)\n"
    assert not passes(f"## Contact\n\nAsk the office.\n{link}", "## Contact\n\nAsk the office.\n")
    assert passes("Rates.\n\n## Related links\n\n[Choosing a lender](https://a.gov/more)\n", "Rates.\n")


def test_guard_part_of_title_that_heads_another_section_leads_no_heading() -> None:
    title = "Partners | Climate Change | EPA"
    draft = "## Climate Change\n\nIt is warm.\n\n## Efforts\n\nCountries prepare.\n"
    assert not judge_cleaned_text(draft, draft.replace("## Eff", "## Climate Change: Eff"), title=title).passed
    assert judge_cleaned_text(draft, draft.replace("## Eff", "## Partners: Eff"), title=title).passed
