"""Parse JSON and YAML strictly: duplicate keys, depth, anchors and tags are checked."""

import json
from collections import Counter
from typing import Any, NoReturn

import yaml

# A manifest needs 7 levels; what is deeper was not written by a person.
MAX_DEPTH = 30

Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_scalars = yaml.constructor.SafeConstructor()
_PLAIN_TAGS = {
    f"tag:yaml.org,2002:{kind}" for kind in ("str", "int", "float", "bool", "null", "timestamp", "map", "seq")
}


class NotationError(ValueError):
    """Raised for text that is not JSON or YAML; nothing of it can be judged further.

    ``at`` is line and column, from 1, where a place is known; ``outright``: nobody who meant well writes so much.
    """

    def __init__(self, message: str, at: tuple[int, int] | None = None, *, outright: bool = False) -> None:
        super().__init__(message)
        self.at = at
        self.outright = outright


class ParsedObject(dict[str, Any]):
    """An object, and the keys that stood in it more than once."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.repeated = [key for key, times in Counter(key for key, _ in pairs).items() if times > 1]


def read_json(text: str) -> Any:
    """Parse *text*; the error says whether it was cut off or has a syntax error."""
    try:
        return json.loads(text, object_pairs_hook=ParsedObject, parse_constant=_reject_constant)
    except json.JSONDecodeError as error:
        raise NotationError(_describe_json_error(error, text), (error.lineno, error.colno)) from None
    except RecursionError:
        raise NotationError(TOO_DEEP, outright=True) from None
    except ValueError as error:
        what = "a number with thousands of digits" if "digits" in str(error) else str(error)
        raise NotationError(f"not valid JSON: {what}") from None


TOO_DEEP = f"nested more than {MAX_DEPTH} levels deep"


def _reject_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def _describe_json_error(error: json.JSONDecodeError, text: str) -> str:
    where = f"line {error.lineno}, column {error.colno}"
    start = text.lstrip()
    if not start:
        return "the file is empty"
    if error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string"):
        return f"the JSON ends too early ({where}): the file is truncated, or a closing bracket or quote is missing"
    if error.msg == "Extra data":
        return f"text after the end of the manifest ({where}): give the JSON alone, without commentary"
    if start[0] not in '{["':
        return f"not JSON ({where}): got {start.splitlines()[0][:40]!r}; give the JSON alone, without commentary"
    return f"not valid JSON at {where}: {error.msg[0].lower()}{error.msg[1:]}"


def read_yaml(text: str) -> Any:
    """Parse *text* by the safe loader. Anchors and aliases are refused: a few lines of them grow to gigabytes."""
    try:
        _check_events(text)
        node = yaml.compose(text, Loader=Loader)
        return None if node is None else _build_value(node)
    except yaml.MarkedYAMLError as error:
        what = ", ".join(part for part in (error.context, error.problem) if part)
        raise NotationError(
            f"not valid YAML at {_find_mark(error.problem_mark)}: {what}", _describe_position(error.problem_mark)
        ) from None
    except yaml.YAMLError as error:
        raise NotationError(f"not valid YAML: {error}") from None


def _check_events(text: str) -> None:
    depth = 0
    for event in yaml.parse(text, Loader=Loader):
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            message = f"anchors and aliases are not accepted ({_find_mark(event.start_mark)}): use `defaults`"
            raise NotationError(message, _describe_position(event.start_mark), outright=True)
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            raise NotationError(
                f"{TOO_DEEP} ({_find_mark(event.start_mark)})", _describe_position(event.start_mark), outright=True
            )


def _build_value(node: yaml.Node) -> Any:
    if node.tag not in _PLAIN_TAGS:
        raise NotationError(
            f"the tag {node.tag} is not accepted ({_find_mark(node.start_mark)})", _describe_position(node.start_mark)
        )
    if isinstance(node, yaml.MappingNode):
        return ParsedObject([(_read_key(key), _build_value(value)) for key, value in node.value])
    if isinstance(node, yaml.SequenceNode):
        return [_build_value(item) for item in node.value]
    if node.tag.endswith(":timestamp"):  # dates are text in a manifest
        return node.value
    try:
        return _scalars.construct_object(node)
    except ValueError as error:
        raise NotationError(
            f"not valid YAML at {_find_mark(node.start_mark)}: {error}", _describe_position(node.start_mark)
        ) from None


def _read_key(node: yaml.Node) -> str:
    if isinstance(node, yaml.ScalarNode) and node.tag != "tag:yaml.org,2002:merge":
        return str(node.value)
    raise NotationError(
        f"only plain keys are accepted ({_find_mark(node.start_mark)})", _describe_position(node.start_mark)
    )


def _describe_position(mark: Any) -> tuple[int, int] | None:
    return (mark.line + 1, mark.column + 1) if mark else None


def _find_mark(mark: Any) -> str:
    return f"line {mark.line + 1}, column {mark.column + 1}" if mark else "an unknown position"
