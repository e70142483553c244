"""How a source is walked and fetched: ``scrape_config`` and what lies inside it.

In: the ``scrape_config`` of a source or of the manifest's ``defaults``. Out: frozen models.
"""

from typing import Annotated, Any, TypeVar

from pydantic import BeforeValidator, Field, ValidationInfo, WithJsonSchema, field_validator

from rori_spiders.manifest.part import Part
from rori_spiders.manifest.texts import Css, Glob, HeaderName, Line, Prose, Url
from rori_spiders.manifest.vocabulary import Render, Tier, meaning
from rori_spiders.redaction import names_secret_header

T = TypeVar("T")
Many = Annotated[tuple[T, ...], Field(strict=False)]  # strict would refuse the lists that JSON has

# They name who asks or let somebody in: an environment variable keeps them out of git, the ledger and the envelopes.
_NEVER_LITERAL = frozenset({"authorization", "proxy-authorization", "cookie", "user-agent", "host"})

DEFAULT_BROWSER_BUDGET = 5  # S4, EXTR-03


def _never_literal(header: str) -> bool:
    return header.lower() in _NEVER_LITERAL or names_secret_header(header)


class FromEnvironment(Part):
    """A header's value that is read from an environment variable when the request is made."""

    env: Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")] = Field(
        description="Name of the environment variable", examples=["STATE_API_TOKEN"]
    )


HeaderValue = Annotated[str, Field(pattern=r"^[\x20-\x7e\t]*$")] | FromEnvironment


class Expectation(Part):
    """What a run must bring to count as good; otherwise it is `failed` and nobody takes its silence for no change."""

    min_pages: int | None = Field(None, ge=1, le=1_000_000, description="Fewest pages with content", examples=[40])
    must_contain: Annotated[
        Many[Line],
        BeforeValidator(lambda given: (given,) if isinstance(given, str) else given),
        WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string", "minLength": 1}}]}),
    ] = Field((), description="Text or texts that the start page's markdown must hold", examples=[["Regulation X"]])
    min_chars: int | None = Field(
        None, ge=1, le=10_000_000, description="Fewest characters of the start page's markdown", examples=[2000]
    )
    why: Prose | None = Field(
        None, description="Where these limits come from", examples=["52 sections on 2026-02-13; a quarter may go"]
    )


class MediaWikiScope(Part):
    """Which pages of a wiki belong to the source. Without any of them: the page of the source's URL."""

    api_url: Url | None = Field(
        None,
        description="The wiki's api.php; null: as `mediawiki_sites` says for the URL's host",
        examples=["https://warcraft.wiki.gg/api.php"],
    )
    titles: Many[Line] = Field((), description="Pages by title", examples=[["Thrall", "Warchief"]])
    categories: Many[Line] = Field(
        (), description="Pages of categories, without `Category:`", examples=[["Circulars", "Regulations"]]
    )
    category_depth: int = Field(0, ge=0, le=10, description="How many levels of sub-categories are walked")
    namespaces: Many[Annotated[int, Field(ge=0, le=9999)]] = Field(
        (), description="All pages of namespaces, by number (0 is the articles', 6 the files': none)", examples=[[0]]
    )
    prefix: Line | None = Field(
        None,
        description="Only titles that begin so, of `namespaces`; without them of namespace 0. Case counts",
        examples=["Patch "],
    )

    recent_changes: bool = Field(
        default=False,
        description="Whether visits read the wiki's list of changes and ask for no more than what stands there",
        examples=[True],
    )

    @field_validator("category_depth")
    @classmethod
    def _depth_of_something(cls, depth: int, info: ValidationInfo) -> int:
        if depth and not info.data.get("categories", True):
            raise ValueError("it counts from `categories`, and there are none")
        return depth

    @field_validator("namespaces")
    @classmethod
    def _with_text(cls, numbers: tuple[int, ...]) -> tuple[int, ...]:
        if 6 in numbers:
            raise ValueError("namespace 6 holds files: their pages are no text. Name documents by sources of their own")
        return numbers


class ScrapeConfig(Part):
    """How pages are found, fetched and cut out."""

    include_patterns: Many[Glob] = Field(
        (), description="Globs of the pages that belong to the source; none: all of its hosts", examples=[["/1024/*"]]
    )
    exclude_patterns: Many[Glob] = Field(
        (), description="Globs of the pages that do not; exclusion wins", examples=[["/1024/*/interp*", "*?*"]]
    )
    max_depth: int | None = Field(
        None, ge=0, le=20, description="Most links to follow from the start URL; null: 100", examples=[3]
    )
    max_pages: int | None = Field(
        None, ge=1, le=1_000_000, description="Most pages of one run; null: RORI_MAX_PAGES", examples=[500]
    )
    sitemaps: Many[Url] | None = Field(
        None,
        description="Sitemaps to read; null: those that robots.txt names, else at the usual places; []: none",
        examples=[["https://www.hud.gov/sitemap.xml"]],
    )
    follow_links: bool | None = Field(
        None,
        description="Whether links are followed; null: all when there is no sitemap, else next pages and contents",
        examples=[True],
    )
    provider_map: bool = Field(
        default=False,
        description="Whether a provider is asked, once a run, to name the site's addresses. It costs credits",
        examples=[True],
    )
    wait_for_selector: Line | None = Field(
        None, description="CSS selector that the browser waits for before it reads the page", examples=["main"]
    )
    custom_headers: dict[HeaderName, HeaderValue] = Field(
        default_factory=dict,
        description=(
            'Request headers: text, or {"env": "NAME"}. Never sent to another host. Authorization, Proxy-Authorization,'
            " Cookie, User-Agent, Host and what is called a key, token or password only from the environment"
        ),
        examples=[{"Accept": "application/xml", "Authorization": {"env": "STATE_API_TOKEN"}}],
    )
    tiers: Annotated[Many[Tier], Field(min_length=1)] | None = Field(
        None,
        description=f"Tiers to try, in this order, instead of the default ladder: {meaning('tier')}",
        examples=[["http", "browser"]],
    )
    browser_budget: int | None = Field(
        None,
        ge=0,
        le=10_000,
        description=f"Most pages of one run that the browser may fetch; null: {DEFAULT_BROWSER_BUDGET}",
        examples=[20],
    )
    render: Render = Field("auto", description=f"When the browser is used: {meaning('render')}", examples=["always"])
    min_content_chars: int = Field(
        500,
        ge=0,
        le=100_000,
        description="Fewer characters of main text than this are no content: the next tier is tried",
    )
    content_selector: Css | None = Field(
        None, description="CSS selector of the part of a page that holds its text", examples=["main article"]
    )
    remove_selectors: Many[Css] = Field(
        (), description="CSS selectors of what is removed before conversion", examples=[[".feedback", "#survey"]]
    )
    expect: Expectation | None = Field(
        None, description="What a run must bring", examples=[{"min_pages": 40, "why": "52 sections on 2026-02-13"}]
    )
    mediawiki: MediaWikiScope | None = Field(
        None, description="Which pages of a wiki", examples=[{"titles": ["Thrall"]}]
    )

    @property
    def effective_browser_budget(self) -> int:
        """Pages that the browser may fetch in one run."""
        return DEFAULT_BROWSER_BUDGET if self.browser_budget is None else self.browser_budget

    @field_validator("custom_headers")
    @classmethod
    def _no_secret_in_the_file(cls, headers: dict[str, Any]) -> dict[str, Any]:
        literal = [name for name, value in headers.items() if isinstance(value, str) and _never_literal(name)]
        if literal:
            raise ValueError(f'{", ".join(literal)} may not stand in a manifest; give {{"env": "NAME"}} instead')
        if len({name.lower() for name in headers}) < len(headers):
            raise ValueError("the same header is named twice in different spelling")
        return headers

    @field_validator("tiers")
    @classmethod
    def _each_tier_once(cls, tiers: tuple[Tier, ...] | None) -> tuple[Tier, ...] | None:
        if tiers is not None and len(set(tiers)) < len(tiers):
            raise ValueError("each tier may be named once")
        return tiers

    @field_validator("render")
    @classmethod
    def _rendering_has_a_price(cls, render: Render, info: ValidationInfo) -> Render:
        if render == "always" and info.data.get("browser_budget", 0) is None:
            raise ValueError('"always" sends every page to the browser: set browser_budget, the most for one run')
        return render
