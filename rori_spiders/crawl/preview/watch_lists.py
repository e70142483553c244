"""What other programs watch, as entries of a manifest: lists of URLs, changedetection.io's JSON, urlwatch's YAML.

Taken are URL, name, interval and CSS selectors. Headers, cookies, passwords, scripts and other filters stay behind.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import yaml

from rori_spiders.exceptions import UsageError
from rori_spiders.urls.canonical import host_of, normalise_url

_UNITS = ("weeks", "days", "hours", "minutes", "seconds")
#: The longest interval for each word; longer ones are monthly. Nothing is collected more often than daily.
_FREQUENCIES = (("daily", timedelta(days=3)), ("weekly", timedelta(days=10)), ("biweekly", timedelta(days=20)))
_XPATH = re.compile(r"(?:xpath1?:|/|jsonpath?:|json:|jq)", re.IGNORECASE)
#: urlwatch's filters that choose an element, as CSS.
_ELEMENTS = {"element-by-id": "#{}", "element-by-class": ".{}", "element-by-tag": "{}"}
_MAX_NAME_CHARS = 120


@dataclass(frozen=True, slots=True)
class WatchedUrl:
    """What another program watches. *place* is where it stands in the file; *url* is empty where it has none."""

    place: str
    url: str
    name: str | None = None
    interval: timedelta | None = None
    selector: str | None = None
    removed: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()  # what of it was not taken

    def normalised_url(self) -> str:
        """Raises ValueError if it is not the URL of a page."""
        if not self.url:
            raise ValueError("it has no URL")
        return normalise_url(self.url)

    def entry(self, source_id: str, jurisdiction: str, source_type: str, kind: str) -> dict[str, Any]:
        """The proposed source. Raises ValueError if it is not the URL of a page."""
        url = self.normalised_url()
        host = host_of(url)
        config = {"content_selector": self.selector, "remove_selectors": list(self.removed)}
        entry = {
            "id": source_id,
            "name": " ".join((self.name or url).split())[:_MAX_NAME_CHARS],
            "url": url,
            "domain": host,
            "jurisdiction": jurisdiction,
            "source_type": source_type,
            "method": "scrape",
            "status": "proposed",
            "frequency": None if self.interval is None else _frequency_of(self.interval),
            "scrape_config": {name: value for name, value in config.items() if value},
            "metadata": {"notes": "; ".join([f"Imported from a list of {kind}", *self.notes])},
        }
        return {name: value for name, value in entry.items() if value}


def _frequency_of(interval: timedelta) -> str:
    return next((word for word, longest in _FREQUENCIES if interval <= longest), "monthly")


def read_url_list(text: str) -> Iterator[WatchedUrl]:
    """One URL a line, with a name behind it; lines that begin with # are comments."""
    for number, line in enumerate(text.splitlines(), 1):
        url, _, name = line.strip().partition(" ")
        if url and not url.startswith("#"):
            yield WatchedUrl(f"line {number}", url, name.strip() or None)


def read_changedetection(text: str) -> Iterator[WatchedUrl]:
    """The watches of ``url-watches.json``, of its API's list, or of one ``watch.json``."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"not JSON: {error}") from None
    watches = document.get("watching", document) if isinstance(document, dict) else None
    if not isinstance(watches, dict):
        raise UsageError("not a file of changedetection.io: no object of watches")
    if isinstance(watches.get("url"), str):
        watches = {str(watches.get("uuid") or "watch"): watches}
    for uuid, watch in watches.items():
        if not isinstance(watch, dict):
            continue
        filters = [one for one in _texts(watch.get("include_filters")) if one.strip()]
        css = [one.removeprefix("css:").strip() for one in filters if not _XPATH.match(one)]
        paths = [one for one in filters if _XPATH.match(one)]
        yield WatchedUrl(
            f"watch {uuid}",
            _text(watch.get("url")) or "",
            _text(watch.get("title")),
            _interval_of(watch.get("time_between_check")),
            ", ".join(css) or None,
            tuple(one for one in _texts(watch.get("subtractive_selectors")) if not _XPATH.match(one)),
            tuple(f"its filter {one!r} is not CSS, and was left out" for one in paths),
        )


def _interval_of(value: object) -> timedelta | None:
    """The interval of a watch; None where it has the program's default."""
    if not isinstance(value, dict):
        return None
    parts = {unit: value[unit] for unit in _UNITS if isinstance(value.get(unit), int)}
    try:
        return timedelta(**parts) or None
    except OverflowError:
        return None


def read_urlwatch(text: str) -> Iterator[WatchedUrl]:
    """The jobs of ``urls.yaml``; those of the shell have no URL."""
    try:
        jobs = list(yaml.safe_load_all(text))
    except (yaml.YAMLError, RecursionError) as error:
        raise UsageError(f"not YAML: {error}") from None
    for number, job in enumerate(jobs, 1):
        if not isinstance(job, dict):
            continue
        url = _text(job.get("url") or job.get("navigate"))
        selectors, removed, others = list[str](), list[str](), list[str]()
        for name, value in _urlwatch_filters(job.get("filter")):
            options = value if isinstance(value, dict) else {}
            chosen = _text(options.get("selector")) or _text(value)
            if name == "css" and chosen:
                selectors.append(chosen)
                removed += filter(None, [_text(options.get("exclude"))])
            elif name in _ELEMENTS and chosen:
                selectors.append(_ELEMENTS[name].format(chosen))
            elif name != "html2text":
                others.append(f"its filter {name} was left out")
        yield WatchedUrl(
            f"job {number}",
            url or "",
            _text(job.get("name")),
            selector=", ".join(selectors) or None,
            removed=tuple(removed),
            notes=tuple(others),
        )


def _urlwatch_filters(filters: object) -> Iterator[tuple[str, object]]:
    """Names with their values, in each of the forms that urlwatch has had."""
    if isinstance(filters, str):  # "css:#main,html2text"
        for one in filters.split(","):
            name, _, value = one.partition(":")
            yield name.strip(), value.strip() or None
        return
    for one in filters if isinstance(filters, list) else []:
        if isinstance(one, dict):
            yield from ((str(name), value) for name, value in one.items())
        elif isinstance(one, str):
            yield from _urlwatch_filters(one)


def _text(value: object) -> str | None:
    return value.strip() or None if isinstance(value, str) else None


def _texts(value: object) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


#: By the verb that reads them.
READERS: Mapping[str, Callable[[str], Iterable[WatchedUrl]]] = {
    "urls": read_url_list,
    "changedetection": read_changedetection,
    "urlwatch": read_urlwatch,
}
