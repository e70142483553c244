"""Envelopes as rows of a table: a column for each field, by its path (``source.url``), in the order of the model."""

from collections.abc import Sequence
from datetime import datetime
from functools import cache
from itertools import groupby
from operator import itemgetter
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel

from rori_spiders.envelope.models import Envelope, Timestamp
from rori_spiders.runtime.table_files import Kind, TypedColumn

_KINDS: dict[Any, Kind] = {str: "text", int: "integer", float: "number", bool: "boolean"}


@cache
def envelope_columns() -> tuple[TypedColumn, ...]:
    """The columns of an envelope; their descriptions are those of the fields."""
    return tuple(_columns_of(Envelope, ""))


def flatten_envelope(document: dict[str, Any], columns: Sequence[TypedColumn] | None = None) -> tuple[Any, ...]:
    """The values of *document*, an envelope as its file has it, in the order of *columns* (``envelope_columns``)."""
    sections, times = _split_columns(columns and tuple(columns))
    row: list[Any] = []
    for path, names in sections:
        section: Any = document
        for name in path:
            section = section.get(name) if section else None
        row += map(section.get, names) if section else (None,) * len(names)
    for place in times:
        if (value := row[place]) is not None:
            row[place] = datetime.fromisoformat(value)
    return tuple(row)


def _columns_of(model: type[BaseModel], prefix: str) -> list[TypedColumn]:
    columns = []
    for name, field in model.model_fields.items():
        path, annotation = f"{prefix}{name}", _bare(field.annotation)
        is_time = any(one in field.metadata for one in get_args(Timestamp)[1:])
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            columns += _columns_of(annotation, f"{path}.")
        else:
            columns.append(TypedColumn(path, "time" if is_time else _kind_of(annotation), field.description or ""))
    return columns


def _kind_of(annotation: Any) -> Kind:
    if get_origin(annotation) is list:
        return "texts" if get_args(annotation) == (str,) else "json"
    return "text" if get_origin(annotation) is Literal else _KINDS[annotation]


def _bare(annotation: Any) -> Any:
    """*annotation* without None and without constraints."""
    if get_origin(annotation) in {Union, UnionType}:
        [annotation] = (one for one in get_args(annotation) if one is not NoneType)
    return get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation


@cache
def _split_columns(
    columns: tuple[TypedColumn, ...] | None,
) -> tuple[list[tuple[tuple[str, ...], tuple[str, ...]]], tuple[int, ...]]:
    """The neighbours among *columns* by the path of their object, each with the names there; and where times are."""
    columns = columns or envelope_columns()
    split = [tuple(column.name.split(".")) for column in columns]
    sections = [(path, tuple(one[-1] for one in found)) for path, found in groupby(split, key=itemgetter(slice(-1)))]
    return sections, tuple(place for place, column in enumerate(columns) if column.kind == "time")
