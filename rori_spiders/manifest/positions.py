"""Where in the text of a manifest something stands: line and column, from 1, of the value at a path.

In: the text and what it is called (its ending tells JSON from YAML, as for ``loading``). A path that leads nowhere (a
key that is missing) is placed at what it leads to last.
"""

from __future__ import annotations

import json
from json.decoder import JSONArray, JSONObject  # type: ignore[attr-defined]  # the parsers behind json.loads
from json.scanner import py_make_scanner  # type: ignore[attr-defined]
from typing import TYPE_CHECKING, Any, NamedTuple

import yaml

from rori_spiders.manifest.notation import Loader
from rori_spiders.manifest.reading import fit, notation_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from rori_spiders.manifest.problems import Path

At: TypeAlias = "tuple[int, int] | None"


def positions(text: str, origin: str) -> Callable[[Path], At]:
    """A function from path to place; it gives None for all where the text cannot be read."""
    inside, is_yaml = notation_of(text, origin)
    try:
        return _in_yaml(inside) if is_yaml else _in_json(inside)
    except (ValueError, StopIteration, RecursionError, yaml.YAMLError):
        return lambda _: None


def _in_yaml(text: str) -> Callable[[Path], At]:
    root = yaml.compose(text, Loader=Loader)

    def at(path: Path) -> At:
        node = root
        for part in path:
            node = _below(node, part) or node
        return None if node is None else (node.start_mark.line + 1, node.start_mark.column + 1)

    return at


def _below(node: yaml.Node | None, part: str | int) -> yaml.Node | None:
    if isinstance(node, yaml.MappingNode):
        return next((value for key, value in reversed(node.value) if fit(str(key.value)) == part), None)
    if isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
        found: yaml.Node = node.value[part]
        return found
    return None


class _Placed(NamedTuple):
    """A value of JSON text, and the character at which it begins."""

    value: Any
    start: int


def _in_json(text: str) -> Callable[[Path], At]:
    begin = len(text) - len(text.lstrip())
    root = _Placed(_placing().scan_once(text, begin)[0], begin)  # type: ignore[attr-defined]

    def at(path: Path) -> At:
        here = root
        for part in path:
            try:
                here = here.value[part]
            except (LookupError, TypeError):  # a key that is missing, or below a plain value
                continue
        return text.count("\n", 0, here.start) + 1, here.start - text.rfind("\n", 0, here.start)

    return at


def _placing() -> json.JSONDecoder:
    """A decoder in whose objects and lists each value is ``_Placed``."""
    decoder = json.JSONDecoder(object_pairs_hook=lambda pairs: {fit(key): value for key, value in pairs})

    def placed(scan: Callable[[str, int], tuple[Any, int]]) -> Callable[[str, int], tuple[_Placed, int]]:
        def scan_placed(text: str, start: int) -> tuple[_Placed, int]:
            value, end = scan(text, start)
            return _Placed(value, start), end

        return scan_placed

    def an_object(where: Any, strict: Any, scan: Any, *rest: Any) -> Any:
        return JSONObject(where, strict, placed(scan), *rest)

    def a_list(where: Any, scan: Any, *rest: Any) -> Any:
        return JSONArray(where, placed(scan), *rest)

    decoder.parse_object, decoder.parse_array = an_object, a_list  # type: ignore[attr-defined]
    decoder.scan_once = py_make_scanner(decoder)  # type: ignore[attr-defined]
    return decoder
