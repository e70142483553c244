"""Markdown, block by block: headings, the publisher's own prose, tables, and code for what has no better form."""

from __future__ import annotations

import re

from rori_spiders.content.documents.escaping import block, collapsed, escaped, fenced
from rori_spiders.content.documents.openapi.values import Value, as_written
from rori_spiders.content.documents.tables import pipe_table

_HEADING = re.compile(r"#{1,6}(?=[ \t])")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
# Markup that ends only at its own end, wherever that is: the rest of the page could vanish in it.
_SWALLOWING = re.compile(r"<(?=(?:script|pre|style|textarea)\b|[!?])", re.IGNORECASE)


class TooLong(ValueError):
    """Raised when so much was written that no reader could want it: one text repeated by thousands of references."""


class Blocks:
    """The blocks written so far; TooLong is raised where they would hold more than *most* characters."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._blocks: list[str] = []
        self._chars = 0

    def add(self, markdown: str) -> None:
        if not markdown.strip():
            return
        self._chars += len(markdown)
        if self._chars > self._most:
            raise TooLong
        self._blocks.append(markdown.strip("\n"))

    def heading(self, level: int, text: str) -> None:
        self.add(f"{'#' * min(level, 6)} {escaped(collapsed(text)).strip()}")

    def plain(self, text: str) -> None:
        """A paragraph of text that is not markdown."""
        self.add(block(escaped(collapsed(text).strip())))

    def prose(self, text: str, level: int) -> None:
        """A description: CommonMark by the specification, its headings put below *level*."""
        self.add(prose(text, level))

    def facts(self, facts: dict[str, str]) -> None:
        """Named facts, each only where it is given; their values are markdown."""
        self.add("\n".join(f"- {name}: {value}" for name, value in facts.items() if value))

    def table(self, head: list[str], rows: list[list[str]]) -> None:
        """A pipe table without the columns that are empty in all rows, but for the first."""
        filled = [0, *(at for at in range(1, len(head)) if any(row[at] for row in rows))]
        if rows:
            self.add(pipe_table([head[at] for at in filled], [[row[at] for at in filled] for row in rows]))

    def rest(self, left: Left | dict[str, Value]) -> None:
        """What had no place elsewhere, in the publisher's own keys."""
        keys = left if isinstance(left, dict) else left.keys
        if keys:
            self.add(fenced(as_written(keys), "yaml"))

    def text(self) -> str:
        return "\n\n".join(self._blocks) + "\n"


def prose(text: str, level: int) -> str:
    """Markdown of a publisher, to stand below a heading of *level*: no heading above it, no block left open."""
    out: list[str] = []
    fence = ""
    for line in text.expandtabs(4).strip("\n ").splitlines():
        found = _FENCE.match(line)
        if found and not fence:
            fence = found[1]
        elif found and found[1].startswith(fence) and not line.strip().strip(fence[0]):
            fence = ""
        elif not fence:
            line = _HEADING.sub(lambda mark: "#" * min(6, len(mark[0]) + level), line, count=1)
            line = _SWALLOWING.sub(r"\\<", line)
        out.append(line.rstrip())
    return "\n".join([*out, fence] if fence else out)


def in_cell(text: str) -> str:
    """A description for one cell of a table, its lines kept apart."""
    return "<br>".join(line.strip() for line in text.splitlines() if line.strip())


def code(text: str) -> str:
    """A name or value as a code span."""
    text = collapsed(text)
    if not text.strip():
        return f'"{text}"'
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    edge = " " if text[0] == "`" or text[-1] == "`" else ""
    ticks = "`" * (longest + 1)
    return f"{ticks}{edge}{text}{edge}{ticks}"


# An object of the file while it is written: each key is taken once, and what no one took is shown as it stands.

_FALSE = {"false", "0", "no", "off", ""}


class Left:
    """The keys of one object that nobody has shown yet. What has another type than expected stays, and is shown."""

    def __init__(self, value: Value) -> None:
        self.keys: dict[str, Value] = dict(value) if isinstance(value, dict) else {}

    def text(self, key: str) -> str:
        """A scalar as written; "" when there is none."""
        value = self.keys.get(key)
        if isinstance(value, dict | list) or key not in self.keys:
            return ""
        return shown(self.keys.pop(key))

    def words(self, key: str) -> str:
        """Text for people; "" for none."""
        return str(self.keys.pop(key)) if isinstance(self.keys.get(key), str) else ""

    def flag(self, key: str) -> bool:
        """A yes or no, in any of the ways in which people write it; False when there is none."""
        return self.text(key).lower() not in _FALSE

    def object(self, key: str) -> dict[str, Value]:
        value = self.keys.get(key)
        if not isinstance(value, dict):
            return {}
        del self.keys[key]
        return value

    def objects(self, key: str) -> list[dict[str, Value]]:
        """An array of objects; one that holds anything else stays."""
        value = self.keys.get(key)
        if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
            return []
        del self.keys[key]
        return [each for each in value if isinstance(each, dict)]

    def scalars(self, key: str) -> list[str]:
        """An array of scalars, or one scalar, as written."""
        value = self.keys.get(key)
        values = value if isinstance(value, list) else [value]
        if key not in self.keys or any(isinstance(each, dict | list) for each in values):
            return []
        del self.keys[key]
        return [shown(each) for each in values]

    def any(self, key: str) -> Value:
        return self.keys.pop(key, None)


def shown(value: Value) -> str:
    """A scalar in the characters of the file."""
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else str(value)
