"""The words that a manifest accepts where only certain words are allowed, what each means, and the default category
of a source. The JSON Schema, the prompt and the documentation are written from MEANINGS.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal, get_args

# Each stands right under a top-level domain, so a host's last two labels say whether it is one of them.
_BY_PUBLISHER: dict[str, Category] = {
    "federalregister.gov": "federal_register",
    "ecfr.gov": "ecfr",
    "consumerfinance.gov": "cfpb",
    "cfpb.gov": "cfpb",
    "fanniemae.com": "gse_guide",
    "freddiemac.com": "gse_guide",
    "ginniemae.gov": "gse_guide",
    "hud.gov": "hud",
    "huduser.gov": "hud",
    "hudexchange.info": "hud",
}
_BY_JURISDICTION: dict[str, Category] = {
    "federal": "federal_agency",
    "national": "industry_org",
    "state": "state_agency",
    "local": "state_agency",
}


@lru_cache(maxsize=1 << 15)
def category_of(host: str, jurisdiction: str) -> Category:
    """The publisher decides where S0's table names one; else the jurisdiction (``state:CA`` -> ``state_agency``)."""
    known = _BY_PUBLISHER.get(".".join(host.rsplit(".", 2)[-2:]))
    return known or _BY_JURISDICTION[jurisdiction.partition(":")[0]]


Method = Literal["scrape", "crawl", "mediawiki"]
Status = Literal["active", "paused", "retired", "proposed"]
Frequency = Literal["daily", "weekly", "biweekly", "monthly"]
Priority = Literal["high", "medium", "low"]
SourceType = Literal["regulation", "guidance", "guide", "enforcement", "educational"]
ContentType = Literal["html", "pdf", "xml", "json", "yaml"]
Category = Literal[
    "federal_register", "cfpb", "ecfr", "gse_guide", "hud", "state_agency", "industry_org", "federal_agency"
]
Tier = Literal["official", "mediawiki", "http", "browser", "zyte", "firecrawl", "crawl4ai", "scrapingant"]
Render = Literal["auto", "always", "never"]
Action = Literal["click", "scroll", "select", "wait", "download"]
Evidence = Literal["text", "screenshot"]
Copy = Literal["dated_version", "version_list", "print_view", "search_results"]
FieldType = Literal[
    "string",
    "number",
    "integer",
    "boolean",
    "date",
    "money",
    "quantity",
    "object",
    "list[string]",
    "list[number]",
    "list[integer]",
    "list[boolean]",
    "list[date]",
    "list[money]",
    "list[quantity]",
    "list[object]",
]

MEANINGS: dict[str, dict[str, str]] = {
    "method": {
        "scrape": "one page: the source's URL and nothing else",
        "crawl": "a site: pages found by sitemap and by links, inside the patterns",
        "mediawiki": "a wiki: pages named by title, category or namespace, through its api.php",
    },
    "status": {
        "active": "collected when due",
        "paused": "not collected until a person changes the manifest",
        "retired": "no longer collected; kept for its history",
        "proposed": "not collected until a person confirms it",
    },
    "frequency": {
        "daily": "once every day",
        "weekly": "once every 7 days",
        "biweekly": "once every 14 days",
        "monthly": "once every 30 days",
    },
    "priority": {
        "high": "goes first",
        "medium": "after all high sources; the default",
        "low": "goes last",
    },
    "source_type": {
        "regulation": "binding text: statutes, rules, the Code of Federal Regulations",
        "guidance": "what an agency says about a rule: bulletins, letters, FAQs, handbooks",
        "guide": "how to do something: seller, servicer and programme guides",
        "enforcement": "actions, orders, settlements",
        "educational": "written for consumers",
    },
    "content_type": {
        "html": "web pages",
        "pdf": "PDF documents",
        "xml": "XML documents, such as the eCFR's",
        "json": "answers of an API",
        "yaml": "YAML documents, such as OpenAPI files",
    },
    "category": {
        "federal_register": "the Federal Register",
        "cfpb": "guidance pages of the Consumer Financial Protection Bureau",
        "ecfr": "regulatory text of the eCFR",
        "gse_guide": "guides of Fannie Mae, Freddie Mac and Ginnie Mae",
        "hud": "programme pages of HUD and FHA",
        "state_agency": "state and local agencies",
        "industry_org": "trade bodies and other organisations that are not agencies",
        "federal_agency": "any other federal agency",
    },
    "tier": {
        "official": "the publisher's documented public API (eCFR, Federal Register)",
        "mediawiki": "the wiki's api.php",
        "http": "a plain request",
        "browser": "a browser on this machine",
        "zyte": "the provider Zyte",
        "firecrawl": "the provider Firecrawl",
        "crawl4ai": "a crawl4ai server",
        "scrapingant": "the provider ScrapingAnt",
    },
    "allowed_copies": {
        "dated_version": "a superseded version of a page, by the date in its URL (`/1024/2020-01-01/5/`)",
        "version_list": "a list of a page's versions (`/versions/`)",
        "print_view": "a page once more, for printing (`?print=1`, `/print`)",
        "search_results": "an answer of a site's search (`/search?q=loan`)",
    },
    "render": {
        "auto": "the browser only when a plain request returns no content",
        "always": "the browser at once, for every page; needs a browser_budget",
        "never": "no browser",
    },
    "action": {
        "click": "click the first element that `selector` shows: a button, a tab; none that sends a form",
        "scroll": "scroll to the end of the page, or of the box that `selector` shows",
        "select": "choose the option `value` of the list that `selector` shows",
        "wait": "wait up to 10 s for an element that `selector` shows",
        "download": "click as `click` does, and take the document that a script then asks for (a PDF, an office file)"
        " as the answer of the page",
    },
    "evidence": {
        "text": "the bytes and the text of each version",
        "screenshot": "beside them a picture of each page that the browser renders, as it was read",
    },
}

# S0 §6.1, row by row. `federal_agency` has no row there: like HUD's programme pages, "program guidance updates".
DEFAULT_FREQUENCIES: dict[Category, Frequency] = {
    "federal_register": "daily",
    "cfpb": "weekly",
    "ecfr": "weekly",
    "gse_guide": "biweekly",
    "hud": "weekly",
    "state_agency": "monthly",
    "industry_org": "monthly",
    "federal_agency": "weekly",
}

# The three that drive one method, and the one that drives many sources: no source may carry their name.
METHOD_SPIDERS: frozenset[str] = frozenset({"page", "site", "mediawiki", "sources"})

TIERS: tuple[Tier, ...] = get_args(Tier)
#: Companies' and other people's servers: of the default tier order, the first that works is tried, after all else.
PROVIDERS: tuple[Tier, ...] = ("zyte", "firecrawl", "crawl4ai", "scrapingant")

_POSTAL_CODES = (
    "AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK "
    "OR PA RI SC SD TN TX UT VT VA WA WV WI WY AS GU MP PR VI"
)
STATES: frozenset[str] = frozenset(_POSTAL_CODES.split())


def describe_words(field: str) -> str:
    """The words of *field* with their meanings, as one sentence: ``high (goes first); low (goes last)``."""
    return "; ".join(f"{word} ({what})" for word, what in MEANINGS[field].items())
