"""SQL that one ledger of a process has compiled serves the next: each has an engine, whose own cache is empty.

To compile the statements of `scrapy verify` takes longer than to run them on a test's ledger.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import Engine, event
from sqlalchemy.util import LRUCache

if TYPE_CHECKING:
    from sqlalchemy import Connection

#: More statements than the tests of one process have.
_CAPACITY = 5000


class _StatementCache(LRUCache[tuple[Any, ...], Any]):
    """Compiled SQL by the kind of database, where SQLAlchemy's key has the engine's own dialect."""

    def get(self, key: tuple[Any, ...], default: Any = None) -> Any:
        return super().get(_without_engine(key), default)

    def __setitem__(self, key: tuple[Any, ...], compiled: Any) -> None:
        super().__setitem__(_without_engine(key), compiled)


def _without_engine(key: tuple[Any, ...]) -> tuple[Any, ...]:
    dialect, *statement = key
    return type(dialect), *statement


_compiled = _StatementCache(_CAPACITY)


def share_statements() -> None:
    """Have all engines of this process, and of its forks, share what they compile."""
    event.listen(Engine, "engine_connect", _use_shared)


def _use_shared(connection: Connection) -> None:
    connection.execution_options(compiled_cache=_compiled)
