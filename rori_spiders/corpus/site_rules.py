"""What is said of one site's corpus, as data: a YAML or JSON file beside the manifests, reviewed in git like these.

In: its text. Out: frozen ``SiteRules``, or UsageError, which names every problem. Nothing in it is ever run.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints, ValidationError

from rori_spiders.corpus.triage.rules import TriageRules
from rori_spiders.exceptions import UsageError
from rori_spiders.manifest import reading
from rori_spiders.manifest.notation import NotationError, read_yaml
from rori_spiders.manifest.part import Part
from rori_spiders.manifest.problems import Problem, json_path
from rori_spiders.manifest.scraping import Many  # noqa: TC001  # pydantic reads annotations when it runs
from rori_spiders.manifest.texts import Glob  # noqa: TC001  # the same

#: Words of a page, not a pattern: shorter ones stand in too many sentences.
Words = Annotated[str, StringConstraints(min_length=4, max_length=500, strip_whitespace=True)]
Heading = Annotated[str, StringConstraints(min_length=1, max_length=500, strip_whitespace=True)]
#: What may make a page one for a person.
Flag = Literal["contains_pricing_toggle", "contains_calculator", "has_table_with_missing_headers", "lost_content"]


class DroppedSection(Part):
    """A section that is left out: from its heading to the next of its level or above."""

    heading: Heading = Field(
        description="The heading's words; capitals make no difference", examples=["Related articles"]
    )
    when_path_matches: Glob | None = Field(
        None, description="Only on pages whose path and query this glob matches; null: on all", examples=["/blog/*"]
    )


class SiteRules(Part):
    """How the pages of one site become documents of its corpus."""

    triage: TriageRules = Field(default_factory=TriageRules, description="Which pages belong to it")
    entity: Annotated[str, StringConstraints(min_length=1, max_length=200)] | None = Field(
        None, description="The agency or product that the site is about: headings may repeat it", examples=["FHA"]
    )
    remove_blocks_matching: Many[Words] = Field(
        (), description="Blocks (paragraphs, list items) with these words are left out", examples=[["Book a demo"]]
    )
    drop_sections: Many[DroppedSection] = Field((), description="Sections that are left out")
    promote_faq_questions: bool = Field(False, description="Questions that stand alone in bold become headings")
    flag_for_review_when: Many[Flag] = Field(
        ("contains_pricing_toggle", "contains_calculator", "has_table_with_missing_headers", "lost_content"),
        description="What makes a page one for a person (needs_variant_review)",
    )


def read_rules(text: str, origin: str = "site rules") -> SiteRules:
    """The rules in *text*; nothing in it: those that hold where a site says nothing. Raises UsageError."""
    if not text.strip():
        return SiteRules()
    try:
        raw, problems = reading.clean(read_yaml(text))  # JSON is YAML, too
    except NotationError as error:
        raise UsageError(f"{origin}: {error}") from None
    found = [*problems]
    try:
        rules = SiteRules.model_validate(raw)
    except ValidationError as error:
        found += [Problem(tuple(one["loc"]), one["msg"]) for one in error.errors(include_url=False)]
    if found:
        raise UsageError("\n".join(f"{origin}: {json_path(one.path)}: {one.message}" for one in found))
    return rules
