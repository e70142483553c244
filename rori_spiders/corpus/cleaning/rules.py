"""What site rules may say of how texts are cleaned: models, in the manner of the manifest's. Words, never code."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from rori_spiders.manifest.base import (
    Glob,  # the same
    StrictModel,
)
from rori_spiders.manifest.models import Many  # noqa: TC001  # pydantic reads annotations when it runs

#: Words of a page, not a pattern: shorter ones stand in too many sentences.
Words = Annotated[str, StringConstraints(min_length=4, max_length=500, strip_whitespace=True)]
Heading = Annotated[str, StringConstraints(min_length=1, max_length=500, strip_whitespace=True)]
#: What may make a page one for a person.
Flag = Literal[
    "contains_pricing_toggle", "contains_calculator", "has_query_driven_prices", "has_table_with_missing_headers",
    "lost_content",
]  # fmt: skip
ALL_FLAGS: tuple[Flag, ...] = (
    "contains_pricing_toggle", "contains_calculator", "has_query_driven_prices", "has_table_with_missing_headers",
    "lost_content",
)  # fmt: skip


class DroppedSection(StrictModel):
    """A section that is left out: from its heading to the next of its level or above."""

    heading: Heading = Field(
        description="The heading's words; capitals make no difference", examples=["Related articles"]
    )
    when_path_matches: Glob | None = Field(
        None,
        description="Only on pages whose path and query this glob matches; one that ends with / means all below it;"
        " null: on all pages",
        examples=["/blog/"],
    )


class CleaningRules(StrictModel):
    """How the texts of one site are cleaned before a model or a person sees them."""

    remove_blocks_matching: Many[Words] = Field(
        (),
        description="Blocks (paragraphs, list items, quotes) with these words are left out; capitals make no"
        " difference. A block with an amount, date, citation, obligation or denial goes only where the words are"
        " all of it",
        examples=[["Book a demo"]],
    )
    keep_blocks_matching: Many[Words] = Field(
        (), description="Blocks with these words stay, however often they stand there", examples=[["Equal housing"]]
    )
    drop_sections: Many[DroppedSection] = Field((), description="Sections that are left out, whatever is in them")
    remove_boilerplate: bool = Field(
        True, description="Calls to action and runs of links that stand on many pages of the site are left out"
    )
    remove_duplicates: bool = Field(
        True, description="Of calls to action that repeat on a page, and of blocks said twice in a row, the first stays"
    )
    promote_faq_questions: bool = Field(
        False, description="Questions that stand alone, in bold or below a heading of FAQs, become headings"
    )
    label_values: Many[Heading] = Field(
        (),
        description="Labels that stand alone on a line, their value on the next: both become one line",
        examples=[["Industry", "Company size"]],
    )
    take_linked_documents: bool = Field(
        False,
        description="Of a page that only leads to one PDF, the text of the PDF is taken as its text, below its own",
    )
    flag_for_review_when: Many[Flag] = Field(
        ALL_FLAGS, description="What makes a page one for a person (needs_variant_review)"
    )
