"""Describe the problems of a manifest for its author.

In: where something is (a path into the file) and pydantic's errors. Out: one line a problem:
``fthb.json: source 'cfpb-reg-x' (sources[3]): $.sources[3].scrape_config.max_depth: expected ..., got ...``.
"""

import difflib
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

from pydantic import ValidationError

from rori_spiders.manifest.json_yaml import TOO_DEEP
from rori_spiders.manifest.schema import describe_rule, keys_at, rule_at

JsonPath = tuple[str | int, ...]

_SILENT_BELOW = {"custom_headers", "auth_config"}  # somebody may have put a secret there


@dataclass(frozen=True)
class Problem:
    """Something wrong at a place of the file."""

    path: JsonPath
    message: str


class ProblemLine(str):
    """A problem as a person reads it, which still knows what is wrong and where.

    ``at`` is line and column of the text, where the place is known without the parsed file. ``outright``: the text is
    refused for what it is, before anything in it is judged.
    """

    def __new__(
        cls,
        whole: str,
        message: str,
        *,
        path: JsonPath | None = None,
        source_id: str | None = None,
        at: tuple[int, int] | None = None,
        outright: bool = False,
    ) -> Self:
        made = super().__new__(cls, whole)
        made.message, made.path, made.source_id, made.at, made.outright = message, path, source_id, at, outright
        return made

    message: str
    path: JsonPath | None
    source_id: str | None
    at: tuple[int, int] | None
    outright: bool


class WarningLine(str):
    """Something that is worth a look and no error, as a person reads it.

    ``kind`` is the sentence for all those alike, in the plural; ``example``: the source, with what tells it apart.
    """

    def __new__(cls, whole: str, *, kind: str, example: str) -> Self:
        made = super().__new__(cls, whole)
        made.kind, made.example = kind, example
        return made

    kind: str
    example: str


#: As many sources are named of each kind of warning.
_EXAMPLES = 3


def group_warnings(warnings: Iterable[WarningLine]) -> Iterator[str]:
    """A line for each kind of warning: the warning itself where it is alone, else how many there are, with examples."""
    kinds: dict[str, list[WarningLine]] = {}
    for one in warnings:
        kinds.setdefault(one.kind, []).append(one)
    for kind, alike in kinds.items():
        if len(alike) == 1:
            yield f"warning: {alike[0]}"
            continue
        rest = f" and {len(alike) - _EXAMPLES} more" if len(alike) > _EXAMPLES else ""
        yield f"warning: {len(alike)} sources {kind}: {', '.join(one.example for one in alike[:_EXAMPLES])}{rest}"


def format_problem(problem: Problem, where: str, raw: Any) -> ProblemLine:
    """The problem as a person reads it; *raw* is the parsed file, for the source's id."""
    path = problem.path
    if len(path) > 1 and path[0] == "sources" and isinstance(path[1], int):
        return format_source_problem(where, _source_id_at(raw, path[1]), path, problem.message)
    whole = f"{where}: {json_path(path)}: {problem.message}"
    return ProblemLine(whole, problem.message, path=path, outright=problem.message == TOO_DEEP)


def format_source_problem(where: str, source_id: str | None, path: JsonPath, message: str) -> ProblemLine:
    """A problem at a *path* below ``sources[n]``; the id is None where the source has none that can be read."""
    place = f"sources[{path[1]}]"
    label = place if source_id is None else f"source {source_id!r} ({place})"
    whole = f"{where}: {label}: {json_path(path)}: {message}"
    return ProblemLine(whole, message, path=path, source_id=source_id, outright=message == TOO_DEEP)


def _source_id_at(raw: Any, index: int) -> str | None:
    try:
        source_id = raw["sources"][index]["id"]
    except (KeyError, IndexError, TypeError):
        return None
    return source_id if isinstance(source_id, str) and len(source_id) <= 100 else None


def json_path(path: Sequence[str | int]) -> str:
    """``$.domains["hud.gov"].delay_s``: a key that is not a plain word stands in quotes."""
    out = "$"
    for part in path:
        if isinstance(part, int):
            out += f"[{part}]"
        elif re.fullmatch(r"[A-Za-z_$][A-Za-z0-9_$]*", part):
            out += f".{part}"
        else:
            out += f"[{json.dumps(part[:80])}]"
    return out


def problems_from_validation(error: ValidationError, above: JsonPath = ()) -> list[Problem]:
    """Pydantic's errors in our words; of several branches that did not fit, one line remains.

    *above*: where in a manifest stands what was judged alone; the problems' places begin below it.
    """
    found: dict[JsonPath, Problem] = {}
    details: list[dict[str, Any]] = [
        dict(detail, loc=(*above, *detail["loc"])) for detail in error.errors(include_url=False)
    ]
    places: list[JsonPath] = [detail["loc"] for detail in details]
    for detail in details:
        if detail["type"] == "too_short" and any(_path_below(place, detail["loc"]) for place in places):
            continue  # entries were refused; that too few remain follows from it
        problem = _problem_from_detail(detail)
        if problem.path not in found or detail["type"] == "value_error":  # a sentence of its own says more
            found[problem.path] = Problem(problem.path[len(above) :], problem.message)
    return list(found.values())


def _path_below(place: JsonPath, above: JsonPath) -> bool:
    return len(place) > len(above) and place[: len(above)] == above


def _problem_from_detail(detail: dict[str, Any]) -> Problem:
    loc: JsonPath = detail["loc"]
    kind = detail["type"]
    if kind == "missing":
        return Problem(loc, f"required, but missing: expected {describe_rule(rule_at(loc)[1])}")
    if kind == "extra_forbidden":
        return Problem(loc, _describe_unknown_key(loc))
    path, rule = rule_at(loc)
    if kind == "value_error":
        message = str(detail["ctx"]["error"])
        return Problem(
            path, message + (_describe_given(path, detail["input"]) if message.startswith("expected") else "")
        )
    return Problem(path, f"expected {describe_rule(rule)}{_describe_given(path, detail['input'])}")


def _describe_unknown_key(loc: JsonPath) -> str:
    *above, key = loc
    known = keys_at(above)
    if (inner := next((one for one in known if key in keys_at((*above, one))), None)) is not None:
        return f'unknown key; it belongs in "{inner}"'
    near = difflib.get_close_matches(str(key), known, n=1, cutoff=0.7)
    hint = f'did you mean "{near[0]}"?' if near else f"known here: {', '.join(known)}"
    return f"unknown key; {hint}"


def _describe_given(path: JsonPath, value: Any) -> str:
    if _SILENT_BELOW.intersection(path) or (isinstance(value, str) and "@" in value):
        return ""
    return f", got {format_value(value)}"


def format_value(value: Any) -> str:
    """A value, short and on one line."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list | tuple):
        return f"a list of {len(value)}" if value else "an empty list"
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 80 else f"{text[:76]}..." + ('"' if text.endswith('"') else "")


# What only shows between the fields of one list: a name that stands twice, more than a model can read beside a page.
# In: the parsed list, right or wrong in its details. Out: problems, at their places in the list.

MAX_FIELDS = 50
#: About 2,000 tokens: as much of each question as the part of a page that it is asked about.
MAX_CHARS = 8_000


def field_list_problems(fields: Any) -> Iterator[Problem]:
    """What is wrong with the list as a whole; nothing if it is not a list."""
    if not isinstance(fields, list | tuple):
        return
    first: dict[str, int] = {}
    for index, field in enumerate(fields):
        name = field.get("name") if isinstance(field, dict) else None
        if isinstance(name, str) and first.setdefault(name, index) != index:
            yield Problem((index, "name"), f"the name {name!r} is already used by fields[{first[name]}]")
    if (count := _count_fields(fields)) > MAX_FIELDS:
        yield Problem((), f"{count} fields are too many for a model at once: at most {MAX_FIELDS}")
    elif (chars := _count_chars(fields)) > MAX_CHARS:
        yield Problem(
            (),
            f"names, descriptions, values and patterns have {chars} characters together, too many for a model beside"
            f" a page: at most {MAX_CHARS}",
        )


def _count_fields(fields: Any) -> int:
    """How many *fields* there are, those of objects included."""
    inner = (one.get("fields") for one in fields if isinstance(one, dict))
    return len(fields) + sum(_count_fields(one) for one in inner if isinstance(one, list | tuple))


def _count_chars(value: Any) -> int:
    if isinstance(value, str):
        return len(value)
    if isinstance(value, dict):
        return sum(map(_count_chars, value.values()))
    return sum(map(_count_chars, value)) if isinstance(value, list | tuple) else 0
