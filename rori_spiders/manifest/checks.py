"""What one entry alone cannot show: ids and fields that stand twice, wikis without an api.php, delays too short.

In: the parsed file, right or wrong in its details (every problem must be named in one go, so this runs even when the
models refuse something). Out: problems.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rori_spiders import urls
from rori_spiders.manifest.field_lists import problems_between
from rori_spiders.manifest.models import DEFAULT_DELAY_S
from rori_spiders.manifest.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rori_spiders.addresses import AddressRules


def across(raw: dict[str, Any], allowed: AddressRules) -> list[Problem]:
    """All problems between the parts of *raw*; *allowed* are the operator's own addresses."""
    return [
        *_repeated_ids(raw),
        *_wikis_without_api(raw),
        *_pages_of_no_wiki(raw),
        *_between_fields(raw),
        *_short_delays(raw, allowed),
    ]


def _sources(raw: dict[str, Any]) -> Iterator[tuple[int, dict[str, Any]]]:
    sources = raw.get("sources")
    if isinstance(sources, list):
        yield from ((index, source) for index, source in enumerate(sources) if isinstance(source, dict))


def _repeated_ids(raw: dict[str, Any]) -> Iterator[Problem]:
    first: dict[str, int] = {}
    for index, source in _sources(raw):
        given = source.get("id")
        if isinstance(given, str) and first.setdefault(given, index) != index:
            yield Problem(("sources", index, "id"), f"the id {given!r} is taken by sources[{first[given]}]")


def _wikis_without_api(raw: dict[str, Any]) -> Iterator[Problem]:
    sites = _object(raw, "mediawiki_sites")
    for index, source in _sources(raw):
        if source.get("method") != "mediawiki" or not isinstance(source.get("url"), str):
            continue
        own = _object(_object(source, "scrape_config"), "mediawiki").get("api_url")
        if own is None and urls.host_of(source["url"]) not in sites:
            yield Problem(
                ("sources", index, "method"),
                "where is its api.php? Name it in `mediawiki_sites` for the URL's host,"
                " or in scrape_config.mediawiki.api_url",
            )


def _pages_of_no_wiki(raw: dict[str, Any]) -> Iterator[Problem]:
    """Named on the source itself: what stands in `defaults` is for the wikis among the sources."""
    for index, source in _sources(raw):
        if source.get("method") in {"scrape", "crawl"} and _object(_object(source, "scrape_config"), "mediawiki"):
            yield Problem(
                ("sources", index, "scrape_config", "mediawiki"),
                "only sources with the method `mediawiki` take pages from a wiki's API",
            )


def _between_fields(raw: dict[str, Any]) -> Iterator[Problem]:
    for index, source in _sources(raw):
        for problem in problems_between(source.get("fields")):
            yield Problem(("sources", index, "fields", *problem.path), problem.message)


def _short_delays(raw: dict[str, Any], allowed: AddressRules) -> Iterator[Problem]:
    for host, rules in _object(raw, "domains").items():
        delay = rules.get("delay_s") if isinstance(rules, dict) else None
        if (
            isinstance(delay, int | float)
            and delay is not True
            and 0 < delay < DEFAULT_DELAY_S
            and not allowed.names(host)
        ):
            yield Problem(
                ("domains", host, "delay_s"),
                f"expected at least {DEFAULT_DELAY_S} seconds, got {delay}: less is allowed only for hosts that"
                " RORI_ALLOWED_ADDRESSES names",
            )


def _object(holder: dict[str, Any], key: str) -> dict[str, Any]:
    value = holder.get(key)
    return value if isinstance(value, dict) else {}
