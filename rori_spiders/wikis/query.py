"""What all questions to a wiki's ``action=query`` share: what each says, and the shapes of answers. Steps.

https://www.mediawiki.org/wiki/API:Query, API:Continue, API:Errors_and_warnings and API:Etiquette.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl, urlsplit

ALWAYS = {"action": "query", "format": "json", "formatversion": "2", "utf8": "1", "maxlag": "5"}
_MOST_CHARS = 300
_CUT = re.compile(r"\btruncated\b", re.IGNORECASE)


def more_of(answer: dict[str, Any]) -> dict[str, str]:
    """Where the answer goes on; wikis before 1.21 nest it by list. Raises ValueError."""
    old = object_of(answer.get("query-continue", {}))
    nested = {name: value for one in old.values() for name, value in object_of(one).items()}
    return {str(name): str(value) for name, value in (nested | object_of(answer.get("continue", {}))).items()}


def warning_of(answer: dict[str, Any]) -> str:
    """What the API warns of, shortened; "" for nothing. Its form differs by version: texts are taken from anywhere."""
    return " ".join(_texts(answer.get("warnings"), 0))[:_MOST_CHARS]


def query_in(answer: dict[str, Any]) -> dict[str, Any]:
    """What *answer* says to the question. Raises ValueError where the API left something out, and not how to go on."""
    if _CUT.search(warning_of(answer)) is not None and not more_of(answer):
        raise ValueError(f"the API cut its answer short and does not say how it goes on: {warning_of(answer)}")
    return object_of(answer.get("query", {}))


def asked_in(url: str) -> dict[str, str]:
    """What *url* asks an API for, by the names of its parameters."""
    return dict(parse_qsl(urlsplit(url).query, keep_blank_values=True))


def _texts(value: object, level: int) -> list[str]:
    if isinstance(value, str):
        return [" ".join(value.split())]
    if level > 4:
        return []
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for one in inner for text in _texts(one, level + 1)]


def time_of(stamp: object) -> datetime | None:
    """A time as the API writes it (``2026-02-13T10:00:00Z``); None for anything else."""
    try:
        time = datetime.fromisoformat(stamp) if isinstance(stamp, str) else None
    except ValueError:
        return None
    return None if time is None else (time if time.tzinfo else time.replace(tzinfo=UTC))


def objects_of(value: object) -> list[dict[str, Any]]:
    """The objects of a list, or, as wikis of old answer, of an object by their numbers. Raises ValueError."""
    return [object_of(one) for one in (value.values() if isinstance(value, dict) else items_of(value))]


def object_of(value: object) -> dict[str, Any]:
    """*value*, as the JSON object that it must be. Raises ValueError."""
    if isinstance(value, dict):
        return value
    if value == []:
        return {}  # PHP's empty array, in answers of old wikis
    raise ValueError("the API's answer is not formed as a list")


def items_of(value: object) -> list[Any]:
    """*value*, as the JSON list that it must be. Raises ValueError."""
    if not isinstance(value, list):
        raise ValueError("the API's answer is not formed as a list")  # noqa: TRY004  (it is a value of the server)
    return value
