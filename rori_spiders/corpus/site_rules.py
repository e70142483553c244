"""The site rules of a corpus, as data: a YAML or JSON file ``{domain}.yaml`` beside the manifests, reviewed in git.

Input: the text of the file. Output: frozen ``SiteRules`` (triage, cleaning, unattended publishing), or UsageError,
which names every problem. Nothing in it is executed.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, ValidationError, model_validator

from rori_spiders.exceptions import UsageError
from rori_spiders.manifest import manifest_text
from rori_spiders.manifest.base import Glob, Host, StrictModel
from rori_spiders.manifest.json_yaml import NotationError, read_yaml
from rori_spiders.manifest.models import (
    Many,
    Source,
)
from rori_spiders.manifest.problems import Problem, json_path
from rori_spiders.manifest.vocabulary import Category

#: Words of a page, not a pattern: shorter ones occur in too many sentences.
RuleWords = Annotated[str, StringConstraints(min_length=4, max_length=500, strip_whitespace=True)]
#: A rule with its words, as it is recorded with what it removes.
AcknowledgedRule = Annotated[str, StringConstraints(pattern=r"^(?:remove_blocks_matching|drop_sections): .{1,500}$")]
HeadingText = Annotated[str, StringConstraints(min_length=1, max_length=500, strip_whitespace=True)]
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

    heading: HeadingText = Field(
        description="The heading's words; capitals make no difference", examples=["Related articles"]
    )
    when_path_matches: Glob | None = Field(
        None,
        description="Only on pages whose path and query this glob matches; one that ends with / means all below it;"
        " null: on all pages",
        examples=["/blog/"],
    )

    @property
    def name(self) -> str:
        """The rule as it is recorded with what it removes, and acknowledged."""
        return f"drop_sections: {self.heading}"


def name_matching_rule(words: str) -> str:
    """Return the same of a rule of ``remove_blocks_matching``."""
    return f"remove_blocks_matching: {words}"


class CleaningRules(StrictModel):
    """How the texts of one site are cleaned before a model or a person sees them."""

    remove_blocks_matching: Many[RuleWords] = Field(
        (),
        description="Blocks (paragraphs, list items, quotes) with these words are left out; capitals make no"
        " difference. A block with an amount, date, citation, obligation or denial goes only where the words are"
        " all of it",
        examples=[["Book a demo"]],
    )
    keep_blocks_matching: Many[RuleWords] = Field(
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
    label_values: Many[HeadingText] = Field(
        (),
        description="Labels that stand alone on a line, their value on the next: both become one line",
        examples=[["Industry", "Company size"]],
    )
    take_linked_documents: bool = Field(
        False,
        description="Of a page that only leads to one PDF, the text of the PDF is taken as its text, below its own",
    )
    acknowledged: Many[AcknowledgedRule] = Field(
        (),
        description="Rules of this file, as `try-rules` lists them, whose effect on text that may bind a person has"
        " seen: it makes no page one for a person",
        examples=[["drop_sections: Related articles"]],
    )
    flag_for_review_when: Many[Flag] = Field(
        ALL_FLAGS, description="What makes a page one for a person (needs_variant_review)"
    )

    @model_validator(mode="after")
    def _acknowledges_its_rules(self) -> Self:
        named = {name_matching_rule(words) for words in self.remove_blocks_matching}
        named |= {section.name for section in self.drop_sections}
        if unknown := [rule for rule in self.acknowledged if rule not in named]:
            raise ValueError(f"`acknowledged` names rules that are not in the file: {', '.join(unknown)}")
        return self


# Rules about which pages belong to the corpus: models like those of the manifest.

#: News and blog posts older than so many months stay out: what retrieves them later knows no dates.
RECENT_MONTHS = 18

Language = Annotated[str, StringConstraints(pattern=r"^[a-z]{2,3}$")]


class TriageRules(StrictModel):
    """Which pages belong to the corpus. Patterns are globs over path and query, as the manifest has them."""

    include: Many[Glob] = Field(
        (), description="Pages that belong to it, whatever else is said", examples=[["/rules/*"]]
    )
    exclude: Many[Glob] = Field(
        (), description="Pages that do not; this wins over `include`", examples=[["/careers/*"]]
    )
    review: Many[Glob] = Field((), description="Pages that a person decides about", examples=[["/pricing*"]])
    news_sections: Many[Glob] = Field(
        (), description="Pages of news and blogs, beside those known by name", examples=[["/stories/*"]]
    )
    recent_months: int = Field(
        RECENT_MONTHS, ge=0, le=600, description="How old news may be, in months; 0: as old as it likes", examples=[12]
    )
    languages: Annotated[Many[Language], Field(min_length=1)] = Field(("en",), description="Languages of its pages")
    allowed_hosts: Many[Host] = Field((), description="Further hosts, beside those of the sources or the site")
    allowed_parameters: Many[Annotated[str, StringConstraints(min_length=1, max_length=100)]] = Field(
        (), description="Parameters of a query that make another page; pages with others stay out", examples=[["id"]]
    )
    default_decision: Literal["include", "needs_review"] | None = Field(
        None,
        description="What no rule decides, where no model is asked. null: pages of a source are included, for its"
        " manifest was reviewed; those of a mere site are for a person",
    )


class SourceSet(StrictModel):
    """The sources of a corpus over several domains: each one that is named in one of three ways."""

    ids: Many[str] = Field((), description="By id", examples=[["cfpb-reg-x"]])
    agencies: Many[HeadingText] = Field(
        (), description="By `metadata.agency` of the manifest; capitals make no difference", examples=[["CFPB", "HUD"]]
    )
    categories: Many[Category] = Field(
        (), description="By category, given or by rule", examples=[["ecfr", "state_agency"]]
    )

    def select(self, sources: Iterable[Source]) -> list[str]:
        """The ids of the sources that belong to the set, in order. Raises UsageError for a name that selects none."""
        known = {source.id: source for source in sources}
        agencies = {name.casefold() for name in self.agencies}
        named: tuple[tuple[str, Iterable[str], set[str]], ...] = (
            ("ids", self.ids, set(known)),
            ("agencies", agencies, {(one.metadata.agency or "").casefold() for one in known.values()}),
            ("categories", self.categories, {str(one.effective_category) for one in known.values()}),
        )
        for key, names, there in named:
            if lost := sorted(set(names) - there):
                raise UsageError(f"`sources.{key}` of the site rules: no active source: {', '.join(lost)}")
        return sorted(
            source.id
            for source in known.values()
            if source.id in self.ids
            or (source.metadata.agency or "").casefold() in agencies
            or source.effective_category in self.categories
        )


# What site rules may allow to be published without a person.


class UnattendedRules(StrictModel):
    """How much an automatic draft may change and still be published unattended."""

    most_pages: int = Field(5, ge=1, le=1000, description="A draft of more pages awaits review", examples=[5])
    most_words: int = Field(
        0, ge=0, le=100, description="Words that may be put into a page's text or taken out of it", examples=[3]
    )


#: Vocabularies of models by which chunks are counted: GPT-4o and later, GPT-4, Voyage.
Tokenizer = Literal["o200k_base", "cl100k_base", "voyage3_base"]


class SiteRules(CleaningRules):
    """How the pages of one site become documents of its corpus."""

    sources: SourceSet | None = Field(
        None,
        description="Sources of any domains whose pages belong to it; left out: those of the domain it is named by",
    )
    triage: TriageRules = Field(default_factory=TriageRules, description="Which pages belong to it")
    entity: Annotated[str, StringConstraints(min_length=1, max_length=200)] | None = Field(
        None, description="The agency or product that the site is about: headings may repeat it", examples=["FHA"]
    )
    unattended: UnattendedRules | None = Field(
        None, description="What a draft may change, and be published without a person; left out: nothing"
    )
    tokenizers: Many[Tokenizer] = Field(
        (), description="By which tokenizers the chunks are counted, beside the estimate", examples=[["o200k_base"]]
    )


def parse_site_rules(text: str, origin: str = "site rules") -> SiteRules:
    """Parse the rules in *text*; an empty text gives the defaults. Raises UsageError."""
    if not text.strip():
        return SiteRules()
    try:
        raw, problems = manifest_text.clean_value(read_yaml(text))  # JSON is YAML, too
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


# Where the site rules of a domain are: ``{domain}.yaml`` in a folder of the project.

#: A longer file is another one by mistake.
_MAX_RULES_CHARS = 200_000


def read_rules_file(folder: Path, domain: str) -> str:
    """The text of the rules of *domain*, which are valid; "" where there are none. Raises UsageError."""
    file = folder / f"{domain}.yaml"
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file} cannot be read: {error}") from error
    if len(text) > _MAX_RULES_CHARS:
        raise UsageError(f"{file} is longer than {_MAX_RULES_CHARS:,} characters, the maximum for site rules")
    parse_site_rules(text, str(file))
    return text
