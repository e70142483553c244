"""The guards against lies and honest cleanings: those of the operators, by hand, and one by one."""

from __future__ import annotations

import pytest

from benchmarks import guards
from rori_spiders.corpus.guards.judgement import Judgement, judge_cleaned_text
from rori_spiders.corpus.guards.refusal import CODES
from tests.corpus.guards.adversaries import OPERATORS, lies
from tests.corpus.guards.by_hand import EDITS, Edit
from tests.corpus.guards.honest import cleanings
from tests.corpus.guards.pages import Page, pages

LIES, HONEST = 500, 170


def small_pages() -> list[Page]:
    """Small enough that as many cleanings as this take seconds; `benchmarks.guards` takes more of larger ones."""
    return [page for page in pages() if len(page.body) < 5000]


def page_named(name: str) -> Page:
    return next(page for page in pages() if page.name == name)


def judged(page: Page, cleaned: str, draft: str | None = None) -> Judgement:
    return judge_cleaned_text(page.body if draft is None else draft, cleaned, title=page.title, source_url=page.url)


def test_judge_false_cleanings_are_refused() -> None:
    passed = []
    told = set()
    for name, page, text in lies(small_pages(), LIES):
        told.add(name)
        judgement = judged(page, text)
        assert {one.code for one in judgement.refusals} <= set(CODES)
        if judgement.passed:
            passed.append((name, page.name))
    assert passed == [] and told == set(OPERATORS)


def test_judge_honest_cleanings_pass() -> None:
    refused = []
    for name, page, pair in cleanings(small_pages(), HONEST):
        if (judgement := judged(page, pair.cleaned, pair.draft)).refusals:
            refused.append((name, page.name, judgement.refusals[0]))
    assert len(refused) <= HONEST * 0.05, refused


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: f"{edit.page}-{edit.what}".replace(" ", "-"))
def test_judge_editorial_changes_pass(edit: Edit) -> None:
    page = page_named(edit.page)
    cleaned = page.body
    for old, new in edit.changes:
        assert cleaned.count(old) == 1, old
        cleaned = cleaned.replace(old, new)
    assert judged(page, cleaned).refusals == ()


def test_judge_same_text_passes() -> None:
    assert len(pages()) > 20
    for page in pages():
        assert judged(page, page.body).passed, page.name
        # Read and compared block by block, for the last line is another.
        assert judged(page, f"{page.body.rstrip()}\n\n***\n").passed, page.name


def test_judge_removed_blocks_are_listed() -> None:
    page = page_named("assistance")
    judgement = judged(page, page.body.replace("Follow us on Facebook\n\n", ""))
    assert judgement.passed and [one.quote for one in judgement.removed] == ["Follow us on Facebook"]
    (removed,) = judgement.removed
    assert page.body[removed.start : removed.end].strip() == removed.quote
    assert judgement.figures["removed"] == 1


def test_judge_refusal_names_both_places() -> None:
    page = page_named("loan-limits")
    text = page.body.replace("65 percent", "56 percent")
    refusal = judged(page, text).refusals[0]
    assert refusal.code == "percentage_changed" and refusal.draft and refusal.cleaned
    assert "65 percent" in page.body[refusal.draft.start : refusal.draft.end]
    assert "56 percent" in text[refusal.cleaned.start : refusal.cleaned.end]


@pytest.mark.parametrize(
    ("block", "code"),
    [
        ("Learn more. Loans above the limit must be reported.", "removed_obligation"),
        ("Subscribe to our newsletter for 2026", "removed_number"),
        ("Contact us about the three exceptions", "removed_number"),
        ("Share this page without a fee", "removed_negation"),
        ("Yes.", "removed_substance"),
        ("Contact us to close the loan.", "removed_substance"),
        ("## Credit unions qualify\n\n## More", "removed_substance"),
        ("This page is archived.", "removed_status"),
        ('Learn more about what "servicer" means', "removed_definition"),
        ("[Read more](https://a.gov/rule.pdf)", "removed_document"),
        ("Read more in Regulation Z", "removed_citation"),
        ("The agency was founded in the last century.", "removed_substance"),
        ("Sign up. " + "The borrower pays the lender back in equal parts. " * 3, "removed_substance"),
        ("| a | b |\n| --- | --- |\n| Share | Print |", "removed_substance"),
        ("~~Share~~", "removed_substance"),
        ("Learn more about escrow accounts and how these work", "removed_substance"),
    ],
)
def test_judge_informative_block_is_no_boilerplate(block: str, code: str) -> None:
    draft = f"# Loans\n\nText of the page.\n\n{block}\n\nMore of its text.\n"
    judgement = judge_cleaned_text(draft, draft.replace(f"{block}\n\n", ""), title="Loans")
    assert [one.code for one in judgement.refusals][:1] == [code]


def test_judge_repeated_block_without_facts_may_be_removed() -> None:
    draft = "# Loans\n\nText of the page.\n\nOne house, many doors\n\nYour guide to homes\n"
    told = ["Your guide to homes", "One house, many doors"]
    assert judge_cleaned_text(draft, draft.replace("Your guide to homes\n", ""), title=None, boilerplate=told).passed
    assert not judge_cleaned_text(
        draft, draft.replace("One house, many doors\n\n", ""), title=None, boilerplate=told
    ).passed


@pytest.mark.parametrize(
    ("old", "new", "passes"),
    [
        ("### Small loans", "### Fees: Small loans", True),
        ("### Small loans", "### Not all loans are free: Small loans", True),
        ("### Small loans", "### Free: Small loans", False),
        ("### Small loans", "### Small loans are free", False),
        ("### Small loans", "### Acme Small loans", True),
        ("### Small loans", "### Fees Small loans", False),
        ("### Small loans", "### Small Loans (Fees)", True),
        ("### Small loans", "### Small", False),
        ("### Small loans", "## Fees - Small loans", True),
        ("### Small loans", "## Small loans", False),
    ],
)
def test_judge_heading_may_take_words_of_its_section(old: str, new: str, passes: bool) -> None:
    draft = "# Page\n\n## Fees\n\nText of fees.\n\n### Small loans\n\nThey cost $5.\n"
    found = judge_cleaned_text(draft, draft.replace(old, new), title="Not all loans are free", entity="Acme")
    assert found.passed is passes


def test_judge_source_url_must_stay() -> None:
    draft = "# Page\n\nText of the page.\n\n[Learn more](https://a.gov/page)\n"
    assert judge_cleaned_text(draft, draft.replace("[Learn more](https://a.gov/page)\n", ""), title=None).passed
    found = judge_cleaned_text(
        draft, draft.replace("[Learn more](https://a.gov/page)\n", ""), title=None, source_url="https://a.gov/page"
    )
    assert [one.code for one in found.refusals] == ["removed_source"]


def test_judge_half_of_page_is_no_boilerplate() -> None:
    share = "Share this page\n\n" * 30
    draft = f"# Page\n\nText of the page that says a little.\n\n{share}"
    assert [one.code for one in judge_cleaned_text(draft, draft.replace(share, ""), title=None).refusals] == [
        "too_much_removed"
    ]


def test_judge_unrelated_long_texts_take_bounded_time() -> None:
    draft = "\n\n".join(f"The fee of case {number} is ${number}." for number in range(1500))
    cleaned = "\n\n".join(f"No fee was paid in case {number}x." for number in range(1500))
    assert not judge_cleaned_text(draft, cleaned, title=None).passed


def test_judge_dash_before_number_may_be_minus() -> None:
    table = "| Loan | Rate |\n| --- | --- |\n| FHA | 5% |\n"
    for told, passes in (("FHA - rate: 5%\n", True), ("FHA: rate - 5%\n", False), ("FHA: rate: - 5%\n", False)):
        assert judge_cleaned_text(f"# Rates\n\n{table}", f"# Rates\n\n{told}", title=None).passed is passes


def test_judge_list_is_removed_whole_or_not_at_all() -> None:
    draft = "# Page\n\nSend the form to us by one of these ways.\n\n- Email\n- Post\n\nText of the page.\n"
    judgement = judge_cleaned_text(draft, draft.replace("- Email\n", ""), title=None)
    assert [one.code for one in judgement.refusals] == ["removed_substance"]


def test_judge_columns_with_one_title_stay_a_table() -> None:
    table = "| Month | Sum | Sum |\n| --- | --- | --- |\n| May | 1 | 2 |\n"
    assert not judge_cleaned_text(f"# Sums\n\n{table}", "# Sums\n\nMonth: May; Sum: 1; Sum: 2\n", title=None).passed


def test_judge_repeated_heading_is_compared_by_words() -> None:
    draft = "# Glossary of patents\n\n## A\n\nAbandonment ends a claim.\n"
    assert not judge_cleaned_text(draft, draft.replace("## A\n\n", ""), title=None).passed


def test_judge_figure_of_the_title_holds_no_boilerplate() -> None:
    text = "# Routing 2.0\n\n" + "The router sends each call to the team that answers it best. " * 5
    draft = f"Home > Routing 2.0\n\n{text}\n\nLearn more about Routing 2.0\n"
    title = "Routing 2.0 | Acme Docs"
    assert judge_cleaned_text(draft, f"{text}\n", title=title).passed
    other = draft.replace("about Routing 2.0", "about Routing 3.0")
    assert not judge_cleaned_text(other, f"{text}\n", title=title).passed


def test_guards_benchmark_without_lies_measures_honest_cleanings(capsys: pytest.CaptureFixture[str]) -> None:
    assert guards.main(["--lies", "0", "--honest", "1"]) == 0
    assert "1 of 1 honest cleanings passed" in capsys.readouterr().out
