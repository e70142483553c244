"""JSON and YAML text in, plain values out, every figure as the publisher wrote it.

A version "1.10" is not a number to us, and neither is 1e400: scalars that are not text come as `Written`. YAML is built
from the parser's events, so that no anchor can expand beyond bounds, no depth can end the process, and no tag makes
an object.
"""

import json
import re
from collections.abc import Iterator

import yaml

# Of twelve published descriptions of US government APIs none has more than 14 levels (2026-11).
MAX_DEPTH = 80
# Once each alias stands for what it names, a file may be this many times as long: anchors save writing, and do not make
# books. Small files are read where nothing else can be done meanwhile.
_LONGER = 10

NO_TEXT = re.compile(
    r"(?P<null>~|null|Null|NULL|)|(?P<true>true|True|TRUE)|(?P<false>false|False|FALSE)"
    r"|[-+]?(?:0x[0-9a-fA-F]+|0o[0-7]+|(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?|\.(?:inf|Inf|INF))|\.(?:nan|NaN|NAN)"
)


class Written(str):
    """A number, in the characters of the file."""

    __slots__ = ()


Value = None | bool | str | list["Value"] | dict[str, "Value"]


class NotPlain(ValueError):
    """Raised for text that holds more than plain values can keep: keys given twice, depth, expansion, own tags."""


def from_json(text: str) -> Value:
    """The value of a JSON text. Raises ValueError when it does not parse, NotPlain for keys given twice or depth."""
    value: Value = json.loads(
        text, parse_int=Written, parse_float=Written, parse_constant=Written, object_pairs_hook=_object
    )
    for _ in _levels(value):
        pass
    return value


def from_yaml(text: str) -> Value:
    """The first document of a YAML text, by the core schema of YAML 1.2 ("no" is a word).

    Raises NotPlain, and yaml.YAMLError if it is not YAML.
    """
    builder = _Builder(_LONGER * len(text))
    loader = yaml.CSafeLoader if hasattr(yaml, "CSafeLoader") else yaml.SafeLoader
    for event in yaml.parse(text, Loader=loader):
        builder.take(event)
    return builder.root()


class _Open:
    """A collection whose end is yet to come."""

    __slots__ = ("anchor", "items", "mapping", "size")

    def __init__(self, anchor: str | None, *, mapping: bool) -> None:
        self.anchor = anchor
        self.mapping = mapping
        self.items: list[Value] = []
        self.size = 0

    def closed(self) -> Value:
        if not self.mapping:
            return self.items
        names, values = self.items[::2], self.items[1::2]
        merged: dict[str, Value] = {}
        pairs: list[tuple[str, Value]] = []
        for name, value in zip(names, values, strict=True):
            if name == "<<" and (sources := _mappings(value)):
                for source in reversed(sources):
                    merged |= source
            elif isinstance(name, str):
                pairs.append((name, value))
            else:
                pairs.append((json.dumps(name), value))
        own = _object(pairs)
        return {**{name: value for name, value in merged.items() if name not in own}, **own}


class _Builder:
    def __init__(self, most: int) -> None:
        self._most = most  # characters of all scalars
        self._open: list[_Open] = []
        self._named: dict[str, tuple[Value, int]] = {}
        self._roots: list[Value] = []

    def root(self) -> Value:
        if len(self._roots) != 1:
            raise NotPlain("not one document")
        return self._roots[0]

    def take(self, event: yaml.Event) -> None:
        if isinstance(event, yaml.ScalarEvent):
            self._put(_scalar(event), len(event.value) + 1, event.anchor)
        elif isinstance(event, yaml.AliasEvent):
            if event.anchor not in self._named:  # unknown, or within what it names
                raise NotPlain(f"the alias {event.anchor} has no end")
            self._put(*self._named[event.anchor], None)
        elif isinstance(event, yaml.CollectionStartEvent):
            if not event.implicit:
                raise NotPlain(f"the tag {event.tag}")
            if len(self._open) >= MAX_DEPTH:
                raise NotPlain("nested too deeply")
            self._open.append(_Open(event.anchor, mapping=isinstance(event, yaml.MappingStartEvent)))
        elif isinstance(event, yaml.CollectionEndEvent):
            ended = self._open.pop()
            self._put(ended.closed(), ended.size + 1, ended.anchor)

    def _put(self, value: Value, size: int, anchor: str | None) -> None:
        if anchor is not None:
            self._named[anchor] = (value, size)
        if not self._open:
            self._roots.append(value)
            return
        self._open[-1].items.append(value)
        self._open[-1].size += size
        if self._open[-1].size > self._most:
            raise NotPlain("its anchors expand too far")


def _scalar(event: yaml.ScalarEvent) -> Value:
    text = str(event.value)
    if event.implicit[1] or not event.implicit[0]:  # quoted, or with a tag of its own
        if event.tag not in (None, "!", "tag:yaml.org,2002:str"):
            raise NotPlain(f"the tag {event.tag}")
        return text
    found = NO_TEXT.fullmatch(text)
    if found is None:
        return text
    if found["null"] is not None:
        return None
    if found["true"] or found["false"]:
        return bool(found["true"])
    return Written(text)


def _object(pairs: list[tuple[str, Value]]) -> dict[str, Value]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise NotPlain("a key is given twice")
    return made


def _mappings(value: Value) -> list[dict[str, Value]]:
    """What a merge key names: a mapping, or mappings."""
    values = value if isinstance(value, list) else [value]
    found = [each for each in values if isinstance(each, dict)]
    return found if len(found) == len(values) else []


def _levels(value: Value) -> Iterator[list[Value]]:
    level = [value]
    for _ in range(MAX_DEPTH):
        if not level:
            return
        yield level
        level = [
            inner
            for each in level
            if isinstance(each, dict | list)
            for inner in (each.values() if isinstance(each, dict) else each)
        ]
    raise NotPlain("nested too deeply")


def strings(value: Value) -> Iterator[tuple[str, str]]:
    """Each text within, with the key that it stands under ("" in an array), level by level."""
    for level in _levels(value):
        for each in level:
            if isinstance(each, dict):
                yield from ((name, inner) for name, inner in each.items() if isinstance(inner, str))
            elif isinstance(each, list):
                yield from (("", inner) for inner in each if isinstance(inner, str))


# Plain values as YAML, keys in the publisher's order, figures in the characters of the file. PyYAML's own emitter
# took 57 % of the time of a large file, two milliseconds an example (2026-11).

# Text that needs no quotes: it begins with a letter or the like, and holds nothing that YAML would act on.
_PLAIN = re.compile(r"[^\W\d][^\x00-\x1f\x7f-\xa0\u2028\u2029\ufeff]*")
_ACTING = re.compile(r":(?:\s|$)|\s#|\s$")
_WORDS = {"yes", "no", "on", "off", "y", "n", "null", "true", "false"}  # some readers take these for no text
_LITERAL = re.compile(r"[^\s#][^\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff]*")


def as_written(value: Value) -> str:
    """*value*, a mapping or an array, as YAML; lines of a text as lines."""
    return "\n".join(_lines(value))


def _lines(value: Value) -> Iterator[str]:
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from _entry(f"{_format_scalar(key)}:", inner)
    elif isinstance(value, list) and value:
        for inner in value:
            yield from _entry("-", inner)
    else:
        yield _format_scalar(value)


def _entry(lead: str, value: Value) -> Iterator[str]:
    if isinstance(value, dict | list) and value:
        lines = _lines(value)
        if lead == "-":  # the first line of what is in an array stands beside its dash
            yield f"- {next(lines)}"
        else:
            yield lead
        yield from (f"  {line}" for line in lines)
    elif isinstance(value, str) and "\n" in value and _LITERAL.fullmatch(_trimmed(value)):
        yield f"{lead} |{'' if value.endswith(chr(10)) else '-'}"
        yield from (f"  {line}" if line else "" for line in _trimmed(value).split("\n"))
    else:
        yield f"{lead} {_format_scalar(value)}"


def _trimmed(text: str) -> str:
    """Without blanks at line ends, which nobody sees."""
    return "\n".join(line.rstrip(" \t\r") for line in text.split("\n")).rstrip("\n")


def _format_scalar(value: Value) -> str:
    if not isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, Written):
        return str(value)
    is_plain = _PLAIN.fullmatch(value) and not _ACTING.search(value)
    if is_plain and value.lower() not in _WORDS and not NO_TEXT.fullmatch(value):
        return value
    return json.dumps(value, ensure_ascii=False)
