"""The manifest's models: ScrapeConfig (how pages are found and fetched), FieldDefinition (values to extract),
DomainRules, Source, Subject, and Manifest, the whole file.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Self, TypeVar

from pydantic import (
    BeforeValidator,
    Field,
    StringConstraints,
    TypeAdapter,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
    model_validator,
)
from pydantic_core import SchemaError

from rori_spiders.manifest.base import (
    Css,
    ExcludeGlob,
    Glob,
    HeaderName,
    Host,
    IsoDatetime,
    Jurisdiction,
    LongText,
    NoiseLine,
    OcrLanguages,
    OneLineText,
    OpenHours,
    SourceId,
    SourceIds,
    StrictModel,
    Url,
)
from rori_spiders.manifest.vocabulary import (
    DEFAULT_FREQUENCIES,
    Action,
    Category,
    ContentType,
    Copy,
    Evidence,
    FieldType,
    Frequency,
    Method,
    Priority,
    Render,
    SourceType,
    Status,
    Tier,
    category_of,
    describe_words,
)
from rori_spiders.runtime.redaction import is_secret_header_name
from rori_spiders.urls import canonical

T = TypeVar("T")
Many = Annotated[tuple[T, ...], Field(strict=False)]  # strict would refuse the lists that JSON has

_HEADER_VARIABLE = r"^RORI_HEADER_[A-Z0-9_]+$"
# They name who asks or let somebody in: an environment variable keeps them out of git, the ledger and the envelopes.
_SECRET_HEADERS = frozenset({"authorization", "proxy-authorization", "cookie", "user-agent", "host"})


def _check_not_secret_header(header: str) -> bool:
    return header.lower() in _SECRET_HEADERS or is_secret_header_name(header)


class FromEnvironment(StrictModel):
    """A header's value that is read from an environment variable when the request is made."""

    env: str = Field(
        description="Name of the environment variable: `RORI_HEADER_` and capitals, digits or `_`",
        examples=["RORI_HEADER_STATE_API"],
        json_schema_extra={"pattern": _HEADER_VARIABLE},
    )

    @field_validator("env")
    @classmethod
    def _is_meant_for_headers(cls, name: str) -> str:
        # Anyone who may edit a manifest chooses where a header is sent: with any other name the database's password.
        if not re.fullmatch(_HEADER_VARIABLE, name):
            raise ValueError(
                "a manifest may read only environment variables whose names begin with RORI_HEADER_ (then capitals, "
                "digits and _): rename the variable, here and in the environment"
            )
        return name


HeaderValue = Annotated[str, Field(pattern=r"^[\x20-\x7e\t]*$")] | FromEnvironment


class Expectation(StrictModel):
    """What a run must bring to count as good; otherwise it is `failed` and nobody takes its silence for no change."""

    min_pages: int | None = Field(
        None, ge=1, le=1_000_000, description="Minimum number of pages with content", examples=[40]
    )
    must_contain: Annotated[
        Many[OneLineText],
        BeforeValidator(lambda value: (value,) if isinstance(value, str) else value),
        WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string", "minLength": 1}}]}),
    ] = Field(
        (),
        description="Text or texts that the start page's markdown must contain; capitals and spaces make no difference",
        examples=[["Regulation X"]],
    )
    min_chars: int | None = Field(
        None,
        ge=1,
        le=10_000_000,
        description="Minimum length of the start page's markdown, in characters",
        examples=[2000],
    )
    why: LongText | None = Field(
        None, description="Source of these limits", examples=["52 sections on 2026-02-13; a quarter may go"]
    )


class MediaWikiScope(StrictModel):
    """Which pages of a wiki belong to the source. Without any of them: its content namespaces."""

    api_url: Url | None = Field(
        None,
        description="The wiki's api.php; null: as `mediawiki_sites` says for the URL's host",
        examples=["https://warcraft.wiki.gg/api.php"],
    )
    titles: Many[OneLineText] = Field((), description="Pages by title", examples=[["Thrall", "Warchief"]])
    categories: Many[OneLineText] = Field(
        (), description="Pages of categories, without `Category:`", examples=[["Circulars", "Regulations"]]
    )
    category_depth: int = Field(0, ge=0, le=10, description="Levels of sub-categories to follow")
    namespaces: Many[Annotated[int, Field(ge=0, le=9999)]] = Field(
        (), description="All pages of namespaces, by number (0 is the articles', 6 the files': none)", examples=[[0]]
    )
    prefix: OneLineText | None = Field(
        None,
        description="Only titles that begin so, of `namespaces`; without them of namespace 0. Case counts",
        examples=["Patch "],
    )

    recent_changes: bool = Field(
        default=False,
        description="True: later runs read the wiki's list of changes and request only changed pages",
        examples=[True],
    )

    @field_validator("category_depth")
    @classmethod
    def _depth_of_something(cls, depth: int, info: ValidationInfo) -> int:
        if depth and not info.data.get("categories", True):
            raise ValueError("requires `categories`")
        return depth

    @field_validator("namespaces")
    @classmethod
    def _with_text(cls, numbers: tuple[int, ...]) -> tuple[int, ...]:
        if 6 in numbers:
            raise ValueError("namespace 6 holds files, whose pages have no text. Add documents as separate sources")
        return numbers


class Interaction(StrictModel):
    """A step that the browser takes on each page of the source before it is read."""

    action: Action = Field(description=f"What is done: {describe_words('action')}", examples=["click"])
    selector: Css | None = Field(
        None, description="CSS selector of the element; only `scroll` may do without", examples=["button.load-more"]
    )
    value: OneLineText | None = Field(None, description="Value or text of the option, for `select`")
    times: int = Field(1, ge=1, le=20, description="How often, as long as it finds something", examples=[5])

    @model_validator(mode="after")
    def _has_a_target(self) -> Self:
        if self.selector is None and self.action != "scroll":
            raise ValueError(f"{self.action} requires `selector`")
        if (self.value is None) == (self.action == "select"):
            raise ValueError("`value` is for select, which requires it")
        return self


class ScrapeConfig(StrictModel):
    """How pages are found, fetched and cut out."""

    include_patterns: Many[Glob] = Field(
        (),
        description="Globs of the pages that belong to the source; none: what lies in the start URL's folder",
        examples=[["/1024/*"]],
    )
    exclude_patterns: Many[ExcludeGlob] = Field(
        (), description="Globs of the pages that do not; exclusion wins", examples=[["/1024/*/interp*", "*?*"]]
    )
    max_depth: int | None = Field(
        None,
        ge=0,
        le=20,
        description="Maximum link depth from the start URL, by the shortest way; null: 100",
        examples=[3],
    )
    max_pages: int | None = Field(
        None, ge=1, le=1_000_000, description="Maximum pages per run; null: RORI_MAX_PAGES", examples=[500]
    )
    sitemaps: Many[Url] | None = Field(
        None,
        description="Sitemaps to read; null: those in robots.txt, otherwise the default locations; []: none",
        examples=[["https://www.hud.gov/sitemap.xml"]],
    )
    follow_links: bool = Field(
        default=True,
        description="Whether links are followed, beside what sitemaps name; false: each is excluded with that reason",
        examples=[False],
    )
    allowed_copies: Many[Copy] = Field(
        (),
        description="Pages that repeat others and are excluded by default, but belong to this source",
        examples=[["dated_version"]],
    )
    provider_map: bool = Field(
        default=False,
        description="True: a provider lists the site's URLs once a run. Costs credits",
        examples=[True],
    )
    wait_for_selector: OneLineText | None = Field(
        None, description="CSS selector that the browser waits for before it reads the page", examples=["main"]
    )
    custom_headers: dict[HeaderName, HeaderValue] = Field(
        default_factory=dict,
        description=(
            'Request headers: text, or {"env": "NAME"}. Never sent to another host. Authorization, Proxy-Authorization,'
            " Cookie, User-Agent, Host and what is called a key, token or password only from the environment"
        ),
        examples=[{"Accept": "application/xml", "Authorization": {"env": "RORI_HEADER_STATE_API"}}],
    )
    tiers: Annotated[Many[Tier], Field(min_length=1)] | None = Field(
        None,
        description=f"Tiers to try, in this order, instead of the default order: {describe_words('tier')}",
        examples=[["http", "browser"]],
    )
    browser_budget: int | None = Field(
        None,
        ge=0,
        le=10_000,
        description="Maximum pages per run to fetch with the browser; null: RORI_BROWSER_BUDGET",
        examples=[20],
    )
    render: Render = Field(
        "auto", description=f"When the browser is used: {describe_words('render')}", examples=["always"]
    )
    interactions: Annotated[Many[Interaction], Field(max_length=10)] = Field(
        (),
        description='Steps that the browser takes on each page before reading it; needs `"render": "always"`',
        examples=[[{"action": "click", "selector": "button.load-more", "times": 5}]],
    )
    evidence: Evidence | None = Field(
        None,
        description=f"What is stored of a version: {describe_words('evidence')}; null: RORI_EVIDENCE",
        examples=["screenshot"],
    )
    min_content_chars: int = Field(
        500,
        ge=0,
        le=100_000,
        description="Minimum characters of main text; below this, the next tier is tried",
    )
    content_selector: Css | None = Field(
        None, description="CSS selector of the part of a page that holds its text", examples=["main article"]
    )
    remove_selectors: Many[Css] = Field(
        (), description="CSS selectors of what is removed before conversion", examples=[[".feedback", "#survey"]]
    )
    ocr: OcrLanguages | None = Field(
        None,
        description='Languages of Tesseract for scanned pages of PDFs; "off": they are not read; null: RORI_OCR',
        examples=["eng"],
    )
    noise_lines: Many[NoiseLine] = Field(
        (),
        description="Lines that change by themselves, `#` for figures and dates, `*` for any words: a change of nothing"
        " else ranks low. The text stays as it is",
        examples=[["You are visitor number #.", "In the spotlight: *"]],
    )
    expect: Expectation | None = Field(
        None, description="Minimum results of a run", examples=[{"min_pages": 40, "why": "52 sections on 2026-02-13"}]
    )
    mediawiki: MediaWikiScope | None = Field(
        None, description="Which pages of a wiki", examples=[{"titles": ["Thrall"]}]
    )

    @field_validator("custom_headers")
    @classmethod
    def _no_secret_in_the_file(cls, headers: dict[str, Any]) -> dict[str, Any]:
        literal = [name for name, value in headers.items() if isinstance(value, str) and _check_not_secret_header(name)]
        if literal:
            raise ValueError(f'{", ".join(literal)} may not be written in a manifest; use {{"env": "NAME"}} instead')
        if len({name.lower() for name in headers}) < len(headers):
            raise ValueError("the same header is named twice in different spelling")
        return headers

    @field_validator("tiers")
    @classmethod
    def _each_tier_once(cls, tiers: tuple[Tier, ...] | None) -> tuple[Tier, ...] | None:
        if tiers is not None and len(set(tiers)) < len(tiers):
            raise ValueError("each tier may be named once")
        return tiers

    @field_validator("interactions")
    @classmethod
    def _steps_need_the_browser(
        cls, interactions: tuple[Interaction, ...], info: ValidationInfo
    ) -> tuple[Interaction, ...]:
        if interactions and info.data.get("render", "always") != "always":
            raise ValueError('interactions are steps of the browser: set "render": "always" and browser_budget')
        return interactions

    @field_validator("render")
    @classmethod
    def _rendering_has_a_price(cls, render: Render, info: ValidationInfo) -> Render:
        if render == "always" and info.data.get("browser_budget", 0) is None:
            raise ValueError('"always" renders every page: set browser_budget, the maximum number of pages for one run')
        return render


# One field: a value that a language model draws from pages, as S2 types it. In: what a manifest, a file or a person
# says of a value. Out: a frozen definition.

#: A model does not choose well among more, and each stands in every question.
MAX_CHOICES = 100


class FieldDefinition(StrictModel):
    """One value that a language model draws from the source's pages (`scrapy fields`)."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=64)] = Field(
        description="Name of the value", examples=["rate_type"]
    )
    type: FieldType = Field(description="Kind of the value", examples=["string"])
    description: OneLineText = Field(description="What it is, for the model", examples=["Whether the rate is fixed"])
    required: bool = Field(False, description="True: a page without it is incomplete")
    enum: Annotated[Many[OneLineText], Field(min_length=1, max_length=MAX_CHOICES)] | None = Field(
        None, description="The only texts allowed; for `string` and `list[string]`", examples=[["fixed", "variable"]]
    )
    pattern: OneLineText | None = Field(
        None,
        description="Regular expression that a text must match somewhere, without look-around and back-references;"
        " for `string` and `list[string]`",
        examples=["^[a-z]+$"],
    )
    fields: Annotated[Many[FieldDefinition], Field(min_length=1)] | None = Field(
        None,
        description="What an object consists of, each with a quote of its own; for `object` and `list[object]`",
        examples=[[{"name": "phone", "type": "string", "description": "Telephone number of the lender"}]],
    )

    @field_validator("enum", "pattern")
    @classmethod
    def _of_texts(cls, value: object, info: ValidationInfo) -> object:
        kind = info.data.get("type", "string")
        if value is not None and kind not in {"string", "list[string]"}:
            raise ValueError(f"applies to text only, but the type is {kind}: remove it, or change the type to string")
        return value

    @field_validator("enum")
    @classmethod
    def _each_choice_once(cls, choices: tuple[str, ...] | None) -> tuple[str, ...] | None:
        if choices is not None and len({choice.casefold() for choice in choices}) < len(choices):
            raise ValueError("each value may be named once; capitals make no difference")
        return choices

    @field_validator("pattern")
    @classmethod
    def _a_pattern(cls, pattern: str | None, info: ValidationInfo) -> str | None:
        if pattern is None:
            return None
        try:
            matcher = linear_time_matcher(pattern)
        except SchemaError:
            raise ValueError(
                "expected a regular expression without look-around and back-references (^[0-9]{4}$)"
            ) from None
        for choice in info.data.get("enum") or ():
            if not _matches_pattern(matcher, choice):
                raise ValueError(f"{choice!r} of `enum` does not match it, so no value could be valid")
        return pattern

    @field_validator("fields")
    @classmethod
    def _of_an_object(
        cls, fields: tuple[FieldDefinition, ...] | None, info: ValidationInfo
    ) -> tuple[FieldDefinition, ...] | None:
        kind, name = info.data.get("type", "object"), info.data.get("name", "it")
        if fields is None:
            return None
        if kind not in {"object", "list[object]"}:
            raise ValueError(
                f"applies to objects only, but the type is {kind}: remove it, or change the type to object"
            )
        names = [one.name for one in fields]
        if (twice := next((one for one in names if names.count(one) > 1), None)) is not None:
            raise ValueError(f"the name {twice!r} is used twice in {name!r}")
        inner = next((leaf for one in fields for leaf in one.leaves if leaf.type == "list[object]"), None)
        if kind == "list[object]" and inner is not None:
            raise ValueError(
                f"'{name}.{inner.name}' is a list of objects inside a list of objects: define it as a separate list"
            )
        return fields

    @property
    def leaves(self) -> tuple[FieldDefinition, ...]:
        """The fields that have values of their own: itself, or what an object consists of (`lender.phone`)."""
        if self.type != "object" or self.fields is None:
            return (self,)
        return tuple(
            leaf.model_copy(update={"name": f"{self.name}.{leaf.name}"}) for one in self.fields for leaf in one.leaves
        )

    @property
    def is_list(self) -> bool:
        """Whether it has any number of values: never complete (S2)."""
        return self.type.startswith("list[")

    @property
    def is_scalar(self) -> bool:
        """Whether it has one value."""
        return not self.is_list

    @property
    def item_type(self) -> str:
        """The kind of one value: of a list, the kind of its items."""
        return self.type.removeprefix("list[").removesuffix("]")

    def allows(self, text: str) -> bool:
        """Whether *text* is among `enum` and matches `pattern`."""
        if self.enum is not None and text not in self.enum:
            return False
        return self.pattern is None or _matches_pattern(linear_time_matcher(self.pattern), text)


def linear_time_matcher(pattern: str) -> TypeAdapter[str]:
    """A matcher in linear time, whatever the pattern: a manifest must not be able to hang a run.

    Raises SchemaError for what it does not know.
    """
    return TypeAdapter(Annotated[str, StringConstraints(strict=True, pattern=pattern)])


def _matches_pattern(matcher: TypeAdapter[str], text: str) -> bool:
    try:
        matcher.validate_python(text)
    except ValueError:
        return False
    return True


# What a manifest may hold (S0 §4.4 and the additions of docs/reference/manifest.md), as frozen pydantic models. In:
# parsed JSON or YAML. Out: ``Manifest`` with its ``Source`` entries, or a ValidationError that ``problems`` turns
# into sentences. Strict: no coercion, no unknown keys; `null` is the same as leaving an optional key out.


DEFAULT_DELAY_S = 2.0  # S0 §6.2
DEFAULT_CONCURRENCY = 3  # S0 §6.2, also the most that is allowed


class DomainRules(StrictModel):
    """Politeness and fence of one domain and what lies below it."""

    delay_s: float = Field(
        DEFAULT_DELAY_S,
        gt=0,
        le=3600,
        description="Seconds between two requests. Less than 2.0 only for hosts that RORI_ALLOWED_ADDRESSES names",
        examples=[5.0],
    )
    concurrency: int = Field(
        DEFAULT_CONCURRENCY, ge=1, le=DEFAULT_CONCURRENCY, description="Maximum concurrent requests", examples=[1]
    )
    hours: OpenHours | None = Field(
        None,
        description=(
            'Crawl window of scheduled runs, "HH:MM-HH:MM" in New York or in the time zone named after it, or '
            '"any"; null: 02:00-06:00 for .gov, any for the rest'
        ),
        examples=["22:00-05:00 America/Chicago"],
    )
    tiers: Annotated[Many[Tier], Field(min_length=1)] | None = Field(
        None, description="The fence: no other tier may reach the domain", examples=[["official", "http"]]
    )
    group: Host | None = Field(
        None,
        description="Name of the politeness group; domains of one group share delay and concurrency. "
        "null: the registrable domain",
        examples=["nara"],
    )


class SourceMetadata(StrictModel):
    """What is known of the source; travels along, decides nothing."""

    agency: OneLineText | None = Field(None, description="Who publishes it", examples=["CFPB"])
    last_known_update: IsoDatetime | None = Field(
        None, description="Time of its last known change", examples=["2024-10-01"]
    )
    update_source: LongText | None = Field(None, description="How changes are announced", examples=["Federal Register"])
    corroboration_status: OneLineText | None = Field(
        None,
        description="How far the URL was confirmed: verified, corroborated, single-source, unverified",
        examples=["verified"],
    )
    notes: LongText | None = Field(None, description="Anything else", examples=["Includes appendices and supplements"])
    rights: LongText | None = Field(None, description="Licence or right to keep the text", examples=["CC BY-SA 3.0"])
    terms_url: Url | None = Field(
        None, description="The publisher's terms of use", examples=["https://www.fandom.com/terms-of-use"]
    )


class Source(StrictModel):
    """One publisher's pages: where they are, how to walk them, how often."""

    def __str__(self) -> str:
        return f"{self.id}, {self.name}: {self.url}"

    id: SourceId = Field(description="Its name everywhere: spider, files, ledger", examples=["cfpb-reg-x"])
    name: OneLineText = Field(description="Its name for people", examples=["CFPB Regulation X (RESPA)"])
    description: LongText | None = Field(
        None, description="What it holds", examples=["Real Estate Settlement Procedures Act implementing regulation"]
    )
    url: Url = Field(
        description="Where a run starts; always in scope",
        examples=["https://www.consumerfinance.gov/rules-policy/regulations/1024/"],
    )
    domain: Host = Field(
        description="The URL's host or a parent of it; the folder that envelopes lie in",
        examples=["consumerfinance.gov"],
    )
    regulatory_domain: LongText | None = Field(None, description="Field of regulation", examples=["RESPA"])
    citation: LongText | None = Field(None, description="Legal citation", examples=["12 C.F.R. Part 1024"])
    jurisdiction: Jurisdiction = Field(
        description="federal, national (bodies that are not agencies), state:XX, or local:PLACE", examples=["federal"]
    )
    source_type: SourceType = Field(
        description=f"Kind of text: {describe_words('source_type')}", examples=["regulation"]
    )
    content_type: ContentType | None = Field(
        None,
        description=f"What to expect: {describe_words('content_type')}. A hint: a mismatch is recorded, not refused",
        examples=["html"],
    )
    method: Method = Field(description=f"How it is walked: {describe_words('method')}", examples=["crawl"])
    category: Category | None = Field(
        None,
        description=f"Gives the frequency when none is set: {describe_words('category')}; "
        "null: by publisher and jurisdiction",
        examples=["cfpb"],
    )
    frequency: Frequency | None = Field(
        None, description=f"How often: {describe_words('frequency')}; null: as its category", examples=["weekly"]
    )
    priority: Priority | None = Field(
        None, description=f"Priority in the queue: {describe_words('priority')}; null: medium", examples=["high"]
    )
    status: Status = Field(description=f"Collection status: {describe_words('status')}", examples=["active"])
    allowed_hosts: Many[Host] = Field(
        (), description="Further hosts whose pages belong to the source", examples=[["files.consumerfinance.gov"]]
    )
    scrape_config: ScrapeConfig = Field(
        default_factory=ScrapeConfig,
        description="How pages are found, fetched and cut out; keys that it leaves out are taken from `defaults`",
        examples=[{"include_patterns": ["/1024/*"], "max_depth": 3}],
    )
    metadata: SourceMetadata = Field(
        default_factory=SourceMetadata, description="What is known of it", examples=[{"agency": "CFPB"}]
    )
    fields: Many[FieldDefinition] = Field(
        (),
        description="Fields to extract from its pages with a language model",
        examples=[[{"name": "apr", "type": "number", "description": "Annual percentage rate"}]],
    )
    swagger: Url | None = Field(
        None,
        description="URL of an OpenAPI or Swagger file: one more page of the run, endpoints and schemas as markdown",
        examples=["https://api.example.gov/openapi.json"],
    )
    auth_config: None = Field(None, description="Reserved for sources with a login: must be null")

    @field_validator("auth_config", mode="before")
    @classmethod
    def _reserved(cls, value: object) -> None:
        raise ValueError("auth_config is reserved for sources with a login, which are not collected: it must be null")

    @field_validator("domain")
    @classmethod
    def _holds_the_url(cls, domain: str, info: ValidationInfo) -> str:
        if "url" not in info.data:  # refused already
            return domain
        if domain == "domains":
            raise ValueError(
                "'domains' cannot be the domain of a source: the staging area uses that folder for corpora"
            )
        host = canonical.host_of(canonical.normalise_url(info.data["url"]))
        if host != domain and not host.endswith(f".{domain}"):
            raise ValueError(f"{domain!r} is neither the URL's host {host!r} nor a parent domain of it")
        publisher = canonical.registrable_domain(host)
        if publisher.endswith(f".{domain}"):
            raise ValueError(
                f"{domain!r} is shared by many publishers; the widest domain allowed for this URL is {publisher!r}"
            )
        return domain

    @property
    def host(self) -> str:
        """Host of the start URL."""
        return canonical.ascii_host_of(self.url)

    @property
    def hosts(self) -> frozenset[str]:
        """Hosts of its pages: of the start URL and the domain, each with and without `www.`, and the allowed ones."""
        named = {self.host, self.domain}
        return frozenset({*named, *map(canonical.www_variant, named), *self.allowed_hosts})

    @property
    def effective_category(self) -> Category:
        """The category, by rule where none is given."""
        return self.category or category_of(self.host, self.jurisdiction)

    @property
    def effective_frequency(self) -> Frequency:
        """The frequency, by category where none is given."""
        return self.frequency or DEFAULT_FREQUENCIES[self.effective_category]

    @property
    def effective_priority(self) -> Priority:
        """The priority, `medium` where none is given."""
        return self.priority or "medium"


class Subject(StrictModel):
    """Something that the manifest is to cover: a regulation, a handbook, the agencies of the states."""

    name: OneLineText = Field(description="What is to be collected", examples=["12 CFR Part 1024 (Regulation X)"])
    category: Category = Field(
        description="Where it stands in the report, and how often S0 wants it; words as for a source", examples=["ecfr"]
    )
    sources: Many[SourceIds] = Field(
        (), description="Ids of the sources that collect it; `*` stands for any characters", examples=[["cfpb-reg-*"]]
    )
    why: LongText | None = Field(
        None, description="Why it is not collected, or not all of it", examples=["The publisher's terms forbid it"]
    )


class Manifest(StrictModel):
    """The whole file."""

    schema_: str | None = Field(
        None,
        alias="$schema",
        description="URL of the JSON Schema, for editors",
        examples=["https://rori.dev/schemas/scrape-manifest-v1.json"],
    )
    version: Annotated[str, Field(pattern=r"^[0-9A-Za-z][0-9A-Za-z.+_-]{0,49}$")] = Field(
        "0.0.0", description="Version of this file; recorded in each envelope", examples=["1.0.0"]
    )
    created: IsoDatetime | None = Field(None, description="Time of creation", examples=["2026-02-13T00:00:00Z"])
    updated: IsoDatetime | None = Field(None, description="Time of the last change", examples=["2026-02-13T00:00:00Z"])
    vertical: OneLineText | None = Field(None, description="Settings shared by the sources", examples=["fthb"])
    defaults: ScrapeConfig | None = Field(
        None, description="Default `scrape_config` of every source", examples=[{"max_depth": 3}]
    )
    mediawiki_sites: dict[Host, Url] = Field(
        default_factory=dict,
        description="Wikis: domain, and the URL of its api.php",
        examples=[{"warcraft.wiki.gg": "https://warcraft.wiki.gg/api.php"}],
    )
    domains: dict[Host, DomainRules] = Field(
        default_factory=dict,
        description="Politeness and fences, by domain; they hold for everything below it",
        examples=[{"ecfr.gov": {"tiers": ["official", "http"]}}],
    )
    subjects: Many[Subject] = Field(
        (),
        description="What the sources are to cover, for the coverage report of `scrapy manifest validate`",
        examples=[[{"name": "12 CFR Part 1024", "category": "ecfr", "sources": ["cfpb-reg-x"]}]],
    )
    sources: Annotated[Many[Source], Field(min_length=1)] = Field(description="The sources, one or more")
