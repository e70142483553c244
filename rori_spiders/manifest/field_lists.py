"""What only shows between the fields of one list: a name that stands twice, more than a model can read beside a page.

In: the parsed list, right or wrong in its details. Out: problems, at their places in the list.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rori_spiders.manifest.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_FIELDS = 50
#: About 2,000 tokens: as much of each question as the part of a page that it is asked about.
MAX_CHARS = 8_000


def problems_between(fields: Any) -> Iterator[Problem]:
    """What is wrong with the list as a whole; nothing of what is no list."""
    if not isinstance(fields, list | tuple):
        return
    first: dict[str, int] = {}
    for index, field in enumerate(fields):
        name = field.get("name") if isinstance(field, dict) else None
        if isinstance(name, str) and first.setdefault(name, index) != index:
            yield Problem((index, "name"), f"the name {name!r} is taken by fields[{first[name]}]")
    if len(fields) > MAX_FIELDS:
        yield Problem((), f"{len(fields)} fields are too many for a model at once: at most {MAX_FIELDS}")
    elif (chars := _chars(fields)) > MAX_CHARS:
        yield Problem(
            (),
            f"names, descriptions, values and patterns have {chars} characters together, too many for a model beside"
            f" a page: at most {MAX_CHARS}",
        )


def _chars(value: Any) -> int:
    if isinstance(value, str):
        return len(value)
    if isinstance(value, dict):
        return sum(map(_chars, value.values()))
    return sum(map(_chars, value)) if isinstance(value, list | tuple) else 0
