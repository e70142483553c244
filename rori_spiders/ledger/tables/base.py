"""The one MetaData, with the names of constraints that migrations need, and column types that behave alike on
SQLite and PostgreSQL.
"""

import re
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, cast

import sqlalchemy
from sqlalchemy import JSON, DateTime, Dialect, MetaData, String
from sqlalchemy.types import TypeDecorator, TypeEngine

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


#: JSON whose absence is NULL in the table, not the text "null".
Json = JSON(none_as_null=True)


#: Stands before what a database cannot take: a character that Unicode keeps free of meaning.
_ESCAPE = "\U0010ffff"
_UNSUPPORTED = re.compile(f"[\x00\ud800-\udfff{_ESCAPE}]")
_ESCAPED = re.compile(f"{_ESCAPE}(0000|d[89a-f][0-9a-f]{{2}}|10ffff)")


class AnyText(TypeDecorator[str]):
    """Any text that a server can send, and it comes back as it was.

    PostgreSQL takes no NUL, and neither database a lone surrogate: each is written as U+10FFFF and four hex digits.
    """

    impl = sqlalchemy.Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        if not value or (value.isascii() and "\x00" not in value):  # nearly all
            return value
        return _UNSUPPORTED.sub(lambda found: f"{_ESCAPE}{ord(found[0]):04x}", value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:
        if value is None or _ESCAPE not in value:
            return value
        return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), value)


#: A day from the calendar's ends: in any zone that a server may read them in, they exist.
_FIRST, _LAST = datetime(1, 1, 2, tzinfo=UTC), datetime(9999, 12, 30, tzinfo=UTC)


def to_utc(value: datetime) -> datetime:
    """*value* in UTC; of a time beyond the calendar there, or in its last day, an end."""
    return min(max(value, _FIRST), _LAST).astimezone(UTC)


@lru_cache(maxsize=256)  # the rows of one transaction share theirs
def format_utc(value: datetime) -> str:
    """A time as ``2026-02-13T14:30:00.000000Z``. Not by strftime: it writes the year 999 with three digits."""
    return f"{value.astimezone(UTC).replace(tzinfo=None).isoformat(timespec='microseconds')}Z"


@lru_cache(maxsize=256)
def _format_column(value: datetime) -> str:
    return format_utc(to_utc(value))


class UtcDateTime(TypeDecorator[datetime]):
    """An aware UTC time. SQLite has no time type: there it is ISO 8601 text of one fixed width, so that it sorts."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        return dialect.type_descriptor(String(27) if dialect.name == "sqlite" else DateTime(timezone=True))

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> Any:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a time without a time zone cannot be stored")
        return _format_column(value) if dialect.name == "sqlite" else to_utc(value)

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if dialect.name != "sqlite":
            return cast("datetime", value.astimezone(UTC))
        at = datetime.fromisoformat(value)
        # Without a zone another program wrote it: `scrapy verify` is to say so, and must be able to compare it.
        return at if at.tzinfo is not None else at.replace(tzinfo=UTC)
