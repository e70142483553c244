"""The kinds of review items: what opens them, how urgent they are, and what a person can do."""

from __future__ import annotations

from dataclasses import dataclass

from rori_spiders import exceptions

HIGH, WARNING = "high", "warning"
FEW_PAGES, MASS_REMOVAL, JOB_LOST = "few_pages", "mass_removal", "job_lost"


@dataclass(frozen=True, slots=True)
class Event:
    """A kind of item: how urgent it is, and what to do, in words for a person.

    ``{id}`` is the source's, ``{run}`` that of the last run which brought one of its pages here.
    """

    severity: str
    to_do: str


EVENTS: dict[str, Event] = {
    "unparseable": Event(
        WARNING,
        "Open the document by hand; the bytes as received are kept. If a person can read it, report the URL; "
        "else tell the publisher, or exclude it (`exclude_patterns` in the manifest).",
    ),
    "suspect": Event(
        WARNING,
        "Compare the page with the text that is held: has it been shortened, or is it another page? If it is right as "
        "it is now: `scrapy runs accept {run} --reason TEXT` (`--url URL`: only one page).",
    ),
    "source_moved": Event(
        HIGH, "Find where the publisher has moved it, and correct `url` of {id} in the manifest; or retire the source."
    ),
    "source_blocked": Event(
        HIGH,
        "The server may have blocked us: read its robots.txt and terms, open the page in a browser, and ask the "
        "publisher for access. Until then: `scrapy pause {id} --reason ...`.",
    ),
    "robots_forbids": Event(
        HIGH,
        "The publisher does not want it collected. Ask for permission or another address (an API, a feed), and "
        "correct the manifest; or retire the source.",
    ),
    "crawl_delay": Event(
        HIGH, "Ask the publisher for a shorter Crawl-delay for RORI-Collector; or pause the source in the manifest."
    ),
    "rate_limited": Event(
        WARNING,
        "Nothing, once: it is collected half as often until two runs in a row were complete. Again and again: give "
        "its domain a longer `delay_s` in the manifest.",
    ),
    FEW_PAGES: Event(
        HIGH,
        "Look at the site: has it lost pages, or is it broken, or walled? If it is right as it is now: `scrapy runs "
        "accept {run} --reason TEXT`, and its count is the usual one from then on. Else correct the manifest, or wait: "
        "a run with enough pages clears this.",
    ),
    MASS_REMOVAL: Event(
        HIGH,
        "Look at the site: has it moved, or is it broken? Then correct the manifest, or wait: nothing is taken for "
        "gone. If the pages are really gone: `scrapy runs accept {run} --reason TEXT` (`--url URL`: only one of them).",
    ),
    JOB_LOST: Event(
        HIGH,
        "Three jobs in a row ended without a word while they collected {id}: look for what ended them (`scrapy jobs`, "
        "the nodes' logs: memory, disk). Then `scrapy collect --source {id}`; a run that ends clears this.",
    ),
}
#: Pages: the first word of a failure's reason -> event.
OF_PAGES = {
    **{
        kind.reason: "unparseable"
        for kind in vars(exceptions).values()
        if isinstance(kind, type) and issubclass(kind, exceptions.ConversionError)
    },
    "walker_error": "unparseable",
    "suspect": "suspect",
}
#: Start URLs: the verdict on a failure -> event.
OF_START = {
    **dict.fromkeys(("not_found", "soft_404", "parked"), "source_moved"),
    **dict.fromkeys(("denied", "challenge", "captcha", "filtered", "login_wall"), "source_blocked"),
}
START_EVENTS = ("source_moved", "source_blocked", "robots_forbids", "crawl_delay")
SAID = {
    "unparseable": "could not be turned into text",
    "suspect": "held: under half of the last text is left",
    "source_moved": "the start URL is not there",
    "source_blocked": "the start URL is refused",
    "robots_forbids": "the start URL may not be fetched",
    "crawl_delay": "the site asks for more patience than we have",
}
