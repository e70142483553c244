"""What changed in a wiki since a time, by its api.php: edits, moves, deletions, and who uses a template. Steps.

https://www.mediawiki.org/wiki/API:RecentChanges, API:Logevents and API:Embeddedin.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlencode

from rori_spiders.wikis.answers import answer_of
from rori_spiders.wikis.query import ALWAYS, asked_in, items_of, more_of, object_of, query_in

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

#: Templates and modules: their changes show on the pages that use them.
_USED_BY_OTHERS = frozenset({10, 828})
_LIST = ALWAYS | {"continue": ""}


class Title(NamedTuple):
    """A page that changed, by its namespace's number and its name."""

    namespace: int
    text: str


class Changes(NamedTuple):
    """What one answer names. ``moved``: old name -> new one."""

    titles: frozenset[Title]
    moved: Mapping[str, str]
    more: Mapping[str, str]

    @property
    def templates(self) -> frozenset[str]:
        return frozenset(one.text for one in self.titles if one.namespace in _USED_BY_OTHERS)


def changes_url(api: str, since: datetime) -> str:
    """All changes since then, oldest first: what is added meanwhile comes at the end."""
    asked = {"list": "recentchanges", "rcdir": "newer", "rcstart": f"{since:%Y-%m-%dT%H:%M:%SZ}", "rclimit": 500}
    return (
        f"{api}?{urlencode(_LIST | asked | {'rctype': 'edit|new|log|external', 'rcprop': 'title|loginfo|timestamp'})}"
    )


def moves_url(api: str, since: datetime) -> str:
    """Pages that got another name since then."""
    asked = {"list": "logevents", "letype": "move", "ledir": "newer", "lestart": f"{since:%Y-%m-%dT%H:%M:%SZ}"}
    return f"{api}?{urlencode(_LIST | asked | {'leprop': 'title|type|timestamp|details', 'lelimit': 500})}"


def uses_url(api: str, title: str) -> str:
    """The pages that show the template or module *title*, also by way of others."""
    return f"{api}?{urlencode(_LIST | {'list': 'embeddedin', 'eititle': title, 'eilimit': 500})}"


def is_changes(url: str) -> bool:
    return asked_in(url).get("list") in {"recentchanges", "embeddedin"}


def is_moves(url: str) -> bool:
    return asked_in(url).get("list") == "logevents"


def continued(url: str, more: Mapping[str, str]) -> str:
    """Where the list of *url* goes on."""
    return f"{url.partition('?')[0]}?{urlencode(asked_in(url) | dict(more))}"


def read(payload: bytes) -> Changes:
    """What an answer names. Raises ValueError for what is none, and where a change is hidden from us."""
    answer = answer_of(payload)
    query = query_in(answer)
    titles: set[Title] = set()
    moved: dict[str, str] = {}
    for name in ("recentchanges", "embeddedin", "logevents"):
        for one in map(object_of, items_of(query.get(name, []))):
            titles.add(_title(one.get("ns"), one.get("title")))
            params = one.get("logparams", one.get("params"))
            if isinstance(params, dict) and "target_title" in params:
                target = _title(params.get("target_ns"), params["target_title"])
                titles.add(target)
                moved[str(one["title"])] = target.text
    return Changes(frozenset(titles), moved, more_of(answer))


def _title(namespace: Any, text: Any) -> Title:
    if not isinstance(namespace, int) or not isinstance(text, str) or not text:
        raise ValueError("a change that the API does not name")
    return Title(namespace, text)
