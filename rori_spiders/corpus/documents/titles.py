"""Titles without what a site adds to each of them: " | Regulations Library", " — guide 12.18 documentation".

The end of a title is the site's when at least three titles, and half of all, end alike; figures play no part, so the
next release of a manual changes no title.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable

from rori_spiders.urls.canonical import host_of

#: What stands between a title and the site's name.
_SEPARATOR = re.compile(r"(?: [|–—•·»:-]{1,2} | \|)(?=\S)")
_FIGURES = re.compile(r"\d+(?:\.\d+)*")
_FEWEST = 3
_SHARE = 0.5
#: "Page | Section | Site" has two of them.
_MOST_ENDS = 2


class TitleEndings:
    """What the titles of a site end with."""

    def __init__(self, titles: Iterable[str]) -> None:
        named = [" ".join(title.split()) for title in titles]
        self._endings: list[frozenset[str]] = []
        for _ in range(_MOST_ENDS):
            counts = Counter(ending for title in set(named) if (ending := _ending_of(title)[1]))
            fewest = max(_FEWEST, _SHARE * len(set(named)))
            found = frozenset(ending for ending, number in counts.items() if number >= fewest)
            if not found:
                break
            self._endings.append(found)
            named = [_without(title, found) for title in named]

    def strip(self, title: str | None) -> str | None:
        """*title* without the site's ending; one that is nothing else stays."""
        if title is None:
            return None
        for endings in self._endings:
            title = _without(" ".join(title.split()), endings)
        return title


class TitlesOfHosts:
    """What the titles of each host end with, given URL and title of its pages."""

    def __init__(self, titles: Iterable[tuple[str, str]]) -> None:
        by_host: dict[str, list[str]] = defaultdict(list)
        for url, title in titles:
            by_host[host_of(url)].append(title)
        self._endings = {host: TitleEndings(of_host) for host, of_host in by_host.items()}

    def strip(self, url: str, title: str | None) -> str | None:
        """The title of the page at *url* without its host's ending."""
        endings = self._endings.get(host_of(url))
        return endings.strip(title) if endings is not None else title


# A name with a figure in it, such as "Routing 2.0": whatever repeats it says no figure of its own.

_LETTERS = re.compile(r"[^\W\d_]{3}")


def names_with_figures(title: str | None, *others: str | None) -> tuple[str, ...]:
    """The names in *title* (whole, and its parts between separators) and *others* that have a figure beside words."""
    parts = (part.strip() for text in (title, *others) if text for part in (text, *_SEPARATOR.split(text)))
    named = {" ".join(part.split()) for part in parts if _FIGURES.search(part) and _LETTERS.match(part)}
    return tuple(sorted(named, key=lambda name: (-len(name), name)))


def without_figures_of(text: str, names: Iterable[str]) -> str:
    """*text* without the figures of *names*, where it repeats one of them whole."""
    for name in names:
        whole = rf"(?<![\w.$€£%-]){re.escape(name)}(?![\w%]|[.,]\d|-\d)"
        text = re.sub(whole, _FIGURES.sub("", name), text, flags=re.IGNORECASE)
    return text


def _without(title: str, endings: frozenset[str]) -> str:
    start, ending = _ending_of(title)
    return start if ending in endings and start else title


def _ending_of(title: str) -> tuple[str, str]:
    """What stands before the last separator, and the separator with what follows, without figures; "" for none."""
    separators = list(_SEPARATOR.finditer(title))
    if not separators:
        return title, ""
    found = separators[-1]
    return title[: found.start()].strip(), _FIGURES.sub("#", title[found.start() :].strip())
