"""What a manifest may hold (S0 §4.4 and the additions of docs/manifest.md), as frozen pydantic models.

In: parsed JSON or YAML. Out: ``Manifest`` with its ``Source`` entries, or a ValidationError that ``problems`` turns
into sentences. Strict: no coercion, no unknown keys; `null` is the same as leaving an optional key out.
"""

from typing import Annotated

from pydantic import Field, ValidationInfo, field_validator

from rori_spiders import urls
from rori_spiders.manifest.category import category_of
from rori_spiders.manifest.fields import FieldDefinition
from rori_spiders.manifest.part import Part
from rori_spiders.manifest.scraping import Expectation, FromEnvironment, Many, MediaWikiScope, ScrapeConfig
from rori_spiders.manifest.texts import Host, Jurisdiction, Line, Moment, OpenHours, Prose, SourceId, Url
from rori_spiders.manifest.vocabulary import (
    DEFAULT_FREQUENCIES,
    Category,
    ContentType,
    Frequency,
    Method,
    Priority,
    SourceType,
    Status,
    Tier,
    meaning,
)

__all__ = [
    "DomainRules",
    "Expectation",
    "FieldDefinition",
    "FromEnvironment",
    "Manifest",
    "MediaWikiScope",
    "ScrapeConfig",
    "Source",
    "SourceMetadata",
]

DEFAULT_DELAY_S = 2.0  # S0 §6.2
DEFAULT_CONCURRENCY = 3  # S0 §6.2, also the most that is allowed


class DomainRules(Part):
    """Politeness and fence of one domain and what lies below it."""

    delay_s: float = Field(
        DEFAULT_DELAY_S,
        gt=0,
        le=3600,
        description="Seconds between two requests. Less than 2.0 only for hosts that RORI_ALLOWED_ADDRESSES names",
        examples=[5.0],
    )
    concurrency: int = Field(
        DEFAULT_CONCURRENCY, ge=1, le=DEFAULT_CONCURRENCY, description="Most requests at once", examples=[1]
    )
    hours: OpenHours | None = Field(
        None,
        description=(
            'When scheduled runs may ask, "HH:MM-HH:MM" in New York or in the time zone named after it, or "any";'
            " null: 02:00-06:00 for .gov, any for the rest"
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


class SourceMetadata(Part):
    """What is known of the source; travels along, decides nothing."""

    agency: Line | None = Field(None, description="Who publishes it", examples=["CFPB"])
    last_known_update: Moment | None = Field(
        None, description="When it was last known to change", examples=["2024-10-01"]
    )
    update_source: Prose | None = Field(None, description="How one hears of a change", examples=["Federal Register"])
    corroboration_status: Line | None = Field(
        None,
        description="How far the URL was confirmed: verified, corroborated, single-source, unverified",
        examples=["verified"],
    )
    notes: Prose | None = Field(None, description="Anything else", examples=["Includes appendices and supplements"])
    rights: Prose | None = Field(None, description="Licence or right to keep the text", examples=["CC BY-SA 3.0"])
    terms_url: Url | None = Field(
        None, description="The publisher's terms of use", examples=["https://www.fandom.com/terms-of-use"]
    )


class Source(Part):
    """One publisher's pages: where they are, how to walk them, how often."""

    id: SourceId = Field(description="Its name everywhere: spider, files, ledger", examples=["cfpb-reg-x"])
    name: Line = Field(description="Its name for people", examples=["CFPB Regulation X (RESPA)"])
    description: Prose | None = Field(
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
    regulatory_domain: Prose | None = Field(None, description="Field of regulation", examples=["RESPA"])
    citation: Prose | None = Field(None, description="Legal citation", examples=["12 C.F.R. Part 1024"])
    jurisdiction: Jurisdiction = Field(
        description="federal, national (bodies that are no agency), state:XX, or local:PLACE", examples=["federal"]
    )
    source_type: SourceType = Field(description=f"Kind of text: {meaning('source_type')}", examples=["regulation"])
    content_type: ContentType | None = Field(
        None,
        description=f"What to expect: {meaning('content_type')}. A hint: a mismatch is recorded, not refused",
        examples=["html"],
    )
    method: Method = Field(description=f"How it is walked: {meaning('method')}", examples=["crawl"])
    category: Category | None = Field(
        None,
        description=f"Gives the frequency when none is set: {meaning('category')}; null: by publisher and jurisdiction",
        examples=["cfpb"],
    )
    frequency: Frequency | None = Field(
        None, description=f"How often: {meaning('frequency')}; null: as its category", examples=["weekly"]
    )
    priority: Priority | None = Field(
        None, description=f"Who goes first: {meaning('priority')}; null: medium", examples=["high"]
    )
    status: Status = Field(description=f"Whether it is collected: {meaning('status')}", examples=["active"])
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
        description="Values to draw from its pages by a language model",
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
    def _reserved(cls, given: object) -> None:
        raise ValueError("auth_config is reserved for sources with a login, which are not collected: it must be null")

    @field_validator("domain")
    @classmethod
    def _holds_the_url(cls, domain: str, info: ValidationInfo) -> str:
        if "url" not in info.data:  # refused already
            return domain
        if domain == "domains":
            raise ValueError("no source can have the domain 'domains': in the staging area, corpora lie in that folder")
        host = urls.host_of(urls.normalise(info.data["url"]))
        if host != domain and not host.endswith(f".{domain}"):
            raise ValueError(f"{domain!r} is neither the URL's host {host!r} nor a parent of it")
        publisher = urls.registrable_domain(host)
        if publisher.endswith(f".{domain}"):
            raise ValueError(f"{domain!r} holds many publishers; the widest for this URL is {publisher!r}")
        return domain

    @property
    def host(self) -> str:
        """Host of the start URL."""
        return urls.ascii_host_of(self.url)

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


class Manifest(Part):
    """The whole file."""

    schema_: str | None = Field(
        None,
        alias="$schema",
        description="URL of the JSON Schema, for editors",
        examples=["https://rori.dev/schemas/scrape-manifest-v1.json"],
    )
    version: Annotated[str, Field(pattern=r"^[0-9A-Za-z][0-9A-Za-z.+_-]{0,49}$")] = Field(
        "0.0.0", description="Version of this file; stands in each envelope", examples=["1.0.0"]
    )
    created: Moment | None = Field(None, description="When it was first written", examples=["2026-02-13T00:00:00Z"])
    updated: Moment | None = Field(None, description="When it was last changed", examples=["2026-02-13T00:00:00Z"])
    vertical: Line | None = Field(None, description="What the sources have in common", examples=["fthb"])
    defaults: ScrapeConfig | None = Field(
        None, description="A `scrape_config` for every source that does not say otherwise", examples=[{"max_depth": 3}]
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
    sources: Annotated[Many[Source], Field(min_length=1)] = Field(description="The sources, one or more")
