"""Substance that looks like boilerplate, put into a draft and left out of its cleaning."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.corpus.guards.lying import Planted, blocks_of, joined, lie

if TYPE_CHECKING:
    from random import Random

#: Lines that begin or look as calls to action do, and tell what a reader must know.
LINES = (
    "Read all loan documents before closing.",
    "See all household members as one borrower.",
    "View all sources of income together.",
    "Start repaying the loan now.",
    "Start your application within the rescission period today.",
    "Save copies for the examiner.",
    "Print and sign both copies.",
    "Contact your servicer first.",
    "Register the deed with the county.",
    "Home | The lender pays closing costs",
    "Home > Veterans are covered by flood insurance",
    "Close the account first.",
    "Share the disclosure with the co-borrower.",
    "Sign in the presence of a notary.",
    "Next: call a housing counselor.",
    "Thank you for choosing a variable rate.",
    "More: late payment raises the rate.",
    "Related: this page replaces the handbook.",
    "Search the title before closing.",
    "Subscribe to the escrow plan to stay covered.",
    "Rates vary by lender.",
    "Follow the lender's instructions.",
    "Rates as low as 5.9% APR.",
    "Prices exclude tax.",
    "Members FDIC insured.",
    "© 2026 Bureau. Rates as of March.",
    "Equal Housing Lender",
    "Updated by Bulletin 2026-3",
    "[Late charges](#late-charges)",
    "[Borrowers pay the appraiser](#appraisal)",
)
_SITE = "https://www.example.gov"
#: Sections that look like lists of links to elsewhere.
SECTIONS = (
    f"## Other charges\n\n- [Late payment charge]({_SITE}/late)\n- [Wire charge]({_SITE}/wire)",
    f"## Next steps\n\n- [Call a counselor]({_SITE}/call)\n- [Lock the rate]({_SITE}/lock)",
    f"## Recent changes\n\n- [Servicing rule]({_SITE}/servicing)",
    f"## More ways to qualify\n\n- [Rural loans]({_SITE}/rural)",
    f"## Latest rates\n\n[Daily rate sheet]({_SITE}/rates)",
    f"## Previous versions\n\n- [Handbook]({_SITE}/handbook)",
    f"## Related\n\n- [Bound volume errata]({_SITE}/errata)\n- [Opinion revisions]({_SITE}/rev)",
    f"## Contents of the loan file\n\n- [Note]({_SITE}/note)\n- [Deed]({_SITE}/deed)",
    f"## Site visits\n\n- [Inspection]({_SITE}/inspection)",
    f"## Share of ownership\n\n[Shared equity]({_SITE}/equity)",
    "## Other lenders qualify",
    "## More money down is better",
)


def _planted(rng: Random, text: str, block: str) -> Planted:
    blocks = blocks_of(text)
    places = [at for at in range(len(blocks) + 1) if at == len(blocks) or blocks[at].startswith("## ")]
    blocks.insert(rng.choice(places), block)
    return Planted(joined(blocks), text)


@lie
def line_that_looks_like_a_call_dropped(rng: Random, text: str) -> Planted:
    return _planted(rng, text, rng.choice(LINES))


@lie
def linked_line_dropped(rng: Random, text: str) -> Planted:
    line = rng.choice([one for one in LINES if "[" not in one])
    return _planted(rng, text, f"[{line}]({_SITE}/more)")


@lie
def item_that_looks_like_a_call_dropped(rng: Random, text: str) -> Planted:
    one, other = rng.sample(LINES, 2)
    return _planted(rng, text, f"Remember:\n\n- {one}\n- {other}")


@lie
def section_that_looks_like_links_dropped(rng: Random, text: str) -> Planted:
    return _planted(rng, text, rng.choice(SECTIONS))


@lie
def rate_in_the_footer_dropped(rng: Random, text: str) -> Planted:
    line = rng.choice(["Rate: six percent", "APR 6.25%", "Fee waived for veterans", "Not available in Ohio"])
    return Planted(f"{text.rstrip()}\n\n{line}\n\nAll rights reserved.\n", f"{text.rstrip()}\n")
