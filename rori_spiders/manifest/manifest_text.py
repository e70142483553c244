"""The text of a manifest: read and decode it, strip a code fence, parse it as JSON or YAML, replace characters that
no text has, and find the line and column of a value.
"""

import json
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from json.decoder import JSONArray, JSONObject  # type: ignore[attr-defined]  # the parsers behind json.loads
from json.scanner import py_make_scanner  # type: ignore[attr-defined]
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import yaml

from rori_spiders.manifest.json_yaml import (
    MAX_DEPTH,
    TOO_DEEP,
    Loader,
    NotationError,
    ParsedObject,
    read_json,
    read_yaml,
)
from rori_spiders.manifest.problems import JsonPath, Problem

# fthb.json, with 199 sources, has a quarter of a MiB: a manifest of 5 MiB is another file by mistake.
MAX_BYTES = 5 * 1024 * 1024

#: In lines, or in braces: JSON has its keys in quotes there.
_YAML_KEY = re.compile(r"[\"']?[$a-z_]+[\"']?:(\s|$)|\{\s*[$a-z_]+:\s")
#: Before the first key: comments, and what begins a document.
_YAML_BEFORE = ("#", "---", "%")
_NOT_ALONE = "the file name is not stored, and without it this text would not be read as YAML: begin it with `version:`"
#: A comment of JSONC as S0's own example has them (§4.4), or a string. One that nothing ends is matched to where it
#: breaks off, so that its text is not looked at again.
_COMMENT_OR_STRING = re.compile(r'(?P<comment>//[^\n]*|/\*.*?\*/)|"(?:[^"\\\n]|\\.)*+"?|/\*.*', re.DOTALL)
_UNFIT_CHARACTERS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


def display_name(origin: str) -> str:
    """What a message calls the file."""
    return "standard input" if origin == "-" else origin


def read_limited_bytes(path: str | Path) -> bytes:
    """Content of a file, or of standard input for ``-``; no more than it takes to see that it is too large."""
    if str(path) == "-":
        return sys.stdin.buffer.read(MAX_BYTES + 1)
    try:
        with Path(path).open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise NotationError("no such file") from None
    except IsADirectoryError:
        raise NotationError("is a directory; a manifest is a file") from None
    except (OSError, ValueError) as error:
        raise NotationError(f"cannot be read: {getattr(error, 'strerror', None) or error}") from None


def decode_text(content: str | bytes) -> str:
    """The text of a manifest: UTF-8, with or without a byte order mark."""
    raw = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    if len(raw) > MAX_BYTES:
        raise NotationError(f"larger than {MAX_BYTES // 1024 // 1024} MiB, the maximum for a manifest", outright=True)
    if (position := raw.find(b"\0")) >= 0:
        raise NotationError(f"contains a NUL byte (byte {position}); expected text in UTF-8")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise NotationError(f"is not UTF-8 text (line {line}, byte {error.start})") from None


@dataclass(frozen=True)
class FencedText:
    """The text inside a code fence."""

    text: str  # lines keep their numbers
    language: str  # json, yaml, or nothing


def strip_code_fence(text: str) -> FencedText | None:
    """The inside of the code fence that a language model wrapped its answer in; None without one, or not alone."""
    opening, newline, rest = text.strip().partition("\n")
    language = opening.strip().removeprefix("```").strip()
    if not newline or not opening.startswith("```") or not (language.isalnum() or not language):
        return None
    if not rest.endswith("```") or _has_fence(rest[:-3]):
        return None
    lines_before = text[: text.index("```")].count("\n") + 1
    return FencedText("\n" * lines_before + rest[:-3], language.lower())


def _has_fence(text: str) -> bool:
    return any(line.lstrip().startswith("```") for line in text.splitlines())


def parse_document(text: str, origin: str) -> Any:
    """Parse by the file's ending; without one, by what the text looks like. Text around a code fence is refused."""
    inside, is_yaml = detect_notation(text, origin)
    if is_yaml:
        return read_yaml(inside)
    if not inside.lstrip().startswith(("{", "[")) and _has_fence(text) and not strip_code_fence(text):
        raise NotationError(
            "text around the code fence, or an unclosed fence: give the manifest alone, without commentary"
        )
    return read_json(inside)


def detect_notation(text: str, origin: str) -> tuple[str, bool]:
    """What is to be parsed, whose lines are numbered as in *text*; and whether that is YAML."""
    if inside := strip_code_fence(text):
        is_yaml = inside.language in {"yaml", "yml"}
        return inside.text if is_yaml else blank_comments(inside.text), is_yaml
    ending = Path(origin).suffix.lower()
    is_yaml = ending in {".yaml", ".yml"} or (ending != ".json" and _looks_like_yaml(text))
    return text if is_yaml else blank_comments(text), is_yaml


def blank_comments(text: str) -> str:
    """JSON with spaces in place of its ``//`` and ``/* */`` comments: what is left keeps its line and column."""
    return _COMMENT_OR_STRING.sub(lambda found: re.sub(r"[^\n]", " ", found[0]) if found["comment"] else found[0], text)


def text_to_store(text: str, origin: str, value: Any) -> str:
    """*text* without a code fence: what the ledger keeps of it, without its file's ending.

    Raises NotationError where that alone is not read as *value*.
    """
    inside = strip_code_fence(text)
    stored = inside.text.strip() + "\n" if inside else text
    if detect_notation(stored, "") != detect_notation(text, origin):
        try:
            same = parse_document(stored, "") == value
        except NotationError:
            same = False
        if not same and isinstance(value, dict):  # for anything else the check of the manifest says what is expected
            raise NotationError(_NOT_ALONE, (1, 1))
    return stored


def _looks_like_yaml(text: str) -> bool:
    """Whether the first line that says something is a key of ours; prose does not begin so."""
    lines = (line for line in text.splitlines() if line.strip() and not line.lstrip().startswith(_YAML_BEFORE))
    return _YAML_KEY.match(next(lines, "")) is not None


def clean_value(value: Any) -> tuple[Any, list[Problem]]:
    """*value* with unfit characters replaced, so that the rest can be judged, and what was wrong."""
    problems: list[Problem] = []
    return _clean_nested(value, (), problems), problems


def _clean_nested(value: Any, path: JsonPath, problems: list[Problem]) -> Any:
    if len(path) > MAX_DEPTH:
        problems.append(Problem(path[:8], TOO_DEEP))
        return None
    if isinstance(value, str):
        return _clean_string(value, path, problems)
    if isinstance(value, list):
        return [_clean_nested(item, (*path, index), problems) for index, item in enumerate(value)]
    if isinstance(value, ParsedObject):
        problems += [
            Problem((*path, _clean_string(key, path, problems)), "duplicate key: remove one") for key in value.repeated
        ]
        return {
            (fit := _clean_string(key, path, problems)): _clean_nested(item, (*path, fit), problems)
            for key, item in value.items()
        }
    return value


def replace_unfit_characters(text: str) -> str:
    """*text* with characters that no text has replaced: as paths of problems name keys."""
    return _UNFIT_CHARACTERS.sub("\ufffd", text)


def _clean_string(text: str, path: JsonPath, problems: list[Problem]) -> str:
    found = _UNFIT_CHARACTERS.search(text)
    if found is None:
        return text
    problems.append(Problem(path, f"contains an invalid character (U+{ord(found[0]):04X})"))
    return replace_unfit_characters(text)


# Where in the text of a manifest something stands: line and column, from 1, of the value at a path. In: the text and
# what it is called (its ending tells JSON from YAML, as for ``loading``). A path that leads nowhere (a key that is
# missing) is placed at what it leads to last.

Position: TypeAlias = "tuple[int, int] | None"


def find_positions(text: str, origin: str) -> Callable[[JsonPath], Position]:
    """A function from path to place; it gives None for all where the text cannot be read."""
    inside, is_yaml = detect_notation(text, origin)
    try:
        return _yaml_positions(inside) if is_yaml else _json_positions(inside)
    except (ValueError, StopIteration, RecursionError, yaml.YAMLError):
        return lambda _: None


def _yaml_positions(text: str) -> Callable[[JsonPath], Position]:
    root = yaml.compose(text, Loader=Loader)

    def at(path: JsonPath) -> Position:
        node = root
        for part in path:
            node = _child_node(node, part) or node
        return None if node is None else (node.start_mark.line + 1, node.start_mark.column + 1)

    return at


def _child_node(node: yaml.Node | None, part: str | int) -> yaml.Node | None:
    if isinstance(node, yaml.MappingNode):
        return next(
            (value for key, value in reversed(node.value) if replace_unfit_characters(str(key.value)) == part), None
        )
    if isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
        found: yaml.Node = node.value[part]
        return found
    return None


class _PositionedValue(NamedTuple):
    """A value of JSON text, and the character at which it begins."""

    value: Any
    start: int


def _json_positions(text: str) -> Callable[[JsonPath], Position]:
    root = _positioned_root(text)

    def at(path: JsonPath) -> Position:
        here = root
        for part in path:
            try:
                here = here.value[part]
            except (LookupError, TypeError):  # a key that is missing, or below a plain value
                continue
        return text.count("\n", 0, here.start) + 1, here.start - text.rfind("\n", 0, here.start)

    return at


def _positioned_root(text: str) -> _PositionedValue:
    begin = len(text) - len(text.lstrip())
    return _PositionedValue(_positioning_decoder().scan_once(text, begin)[0], begin)  # type: ignore[attr-defined]


def _positioning_decoder() -> json.JSONDecoder:
    """A decoder in whose objects and lists each value is a ``_PositionedValue``."""
    decoder = json.JSONDecoder(
        object_pairs_hook=lambda pairs: {replace_unfit_characters(key): value for key, value in pairs}
    )

    def placed(scan: Callable[[str, int], tuple[Any, int]]) -> Callable[[str, int], tuple[_PositionedValue, int]]:
        def scan_placed(text: str, start: int) -> tuple[_PositionedValue, int]:
            value, end = scan(text, start)
            return _PositionedValue(value, start), end

        return scan_placed

    def an_object(where: Any, strict: Any, scan: Any, *rest: Any) -> Any:
        return JSONObject(where, strict, placed(scan), *rest)

    def a_list(where: Any, scan: Any, *rest: Any) -> Any:
        return JSONArray(where, placed(scan), *rest)

    decoder.parse_object, decoder.parse_array = an_object, a_list  # type: ignore[attr-defined]
    decoder.scan_once = py_make_scanner(decoder)  # type: ignore[attr-defined]
    return decoder


# A source is written into the text of a manifest that people keep: what stands there, comments and layout, stays.

_ADD_BY_HAND = "add the source by hand"


def new_manifest_text(origin: str, source: dict[str, Any]) -> str:
    """A manifest of *source* alone, in the notation of the file's ending."""
    whole = {"version": "1.0.0", "sources": [source]}
    if Path(origin).suffix.lower() in {".yaml", ".yml"}:
        return yaml.safe_dump(whole, sort_keys=False, allow_unicode=True, width=110)
    return f"{format_source(whole)}\n"


def add_source_text(text: str, origin: str, source: dict[str, Any]) -> str:
    """*text* with *source* as the last of its `sources`. Raises NotationError where that cannot be written safely."""
    inside, is_yaml = detect_notation(text, origin)
    if strip_code_fence(text):
        raise NotationError(f"holds a code fence: remove it, or {_ADD_BY_HAND}")
    before = parse_document(text, origin)
    if not isinstance(before, dict) or not isinstance(before.get("sources"), list):
        raise NotationError(f"has no list of sources: {_ADD_BY_HAND}")
    added = _add_to_yaml(inside, source) if is_yaml else _add_to_json(text, inside, source)
    after = parse_document(added, origin)
    if after != {**before, "sources": [*before["sources"], source]}:
        raise NotationError(f"its list of sources has a form that cannot be edited automatically: {_ADD_BY_HAND}")
    return added


def _add_to_json(text: str, blanked: str, source: dict[str, Any]) -> str:
    """*blanked*: *text* with spaces in place of its comments, character for character."""
    begin: int = _positioned_root(blanked).value["sources"].start
    end = json.JSONDecoder().raw_decode(blanked, begin)[1] - 1  # at the closing bracket
    last = len(blanked[:end].rstrip())
    is_first = blanked[last - 1] == "["
    line = blanked[blanked.rfind("\n", 0, begin) + 1 : begin]
    margin = line[: len(line) - len(line.lstrip())]
    written = format_source(source).replace("\n", f"\n{margin}  ")
    # What stands behind the last source, a comment perhaps, stays with it.
    between = text[last:end].rstrip()
    return f"{text[:last]}{'' if is_first else ','}{between}\n{margin}  {written}\n{margin}{text[end:]}"


#: A list of plain values, as json.dumps lays it out.
_PLAIN_LIST = re.compile(r"\[\n([^\[\]{}]*+)\]")


def format_source(source: dict[str, Any]) -> str:
    """*source* as JSON in the layout of the packaged manifests: lists of plain values on one line."""
    return _PLAIN_LIST.sub(_on_one_line, json.dumps(source, indent=2, ensure_ascii=False))


def _on_one_line(found: re.Match[str]) -> str:
    if not found[1].rstrip(" ").endswith("\n"):  # its bracket stands in a string
        return found[0]
    return "[" + re.sub(r"\n\s*", " ", found[1]).strip() + "]"


def _add_to_yaml(text: str, source: dict[str, Any]) -> str:
    root = yaml.compose(text, Loader=Loader)
    sources = _child_node(root, "sources")
    if not isinstance(sources, yaml.SequenceNode) or sources.flow_style or not sources.value:
        raise NotationError(f"its sources are not a list of lines with dashes: {_ADD_BY_HAND}")
    end = text.find("\n", _last_leaf(sources.value[-1]).end_mark.index - 1)
    end = len(text) if end < 0 else end
    margin = " " * sources.start_mark.column
    lines = yaml.safe_dump(source, sort_keys=False, allow_unicode=True, width=110).splitlines()
    written = "\n".join(f"{margin}{'  ' if number else '- '}{line}" for number, line in enumerate(lines))
    return f"{text[:end]}\n{written}{text[end:] or chr(10)}"


def _last_leaf(node: yaml.Node) -> yaml.Node:
    """The last value that is written in *node*."""
    while not getattr(node, "flow_style", False) and isinstance(node.value, list) and node.value:
        last = node.value[-1]
        node = last[1] if isinstance(node, yaml.MappingNode) else last
    return node
