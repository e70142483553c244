"""Which connection of the pool a request gets, and which are closed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from twisted.internet.defer import Deferred, succeed

from rori_spiders.crawl.tiers.http import connections as http_connections
from rori_spiders.crawl.tiers.http.connections import QUIET_PERIOD_S, QuietPeriodPool

if TYPE_CHECKING:
    from collections.abc import Callable

KEY = (b"http", b"www.example.org", 80, None)


@dataclass
class Connection:
    """What the pool sees of one."""

    state: str = "QUIESCENT"
    closed: bool = False
    transport: Any = field(init=False)

    def __post_init__(self) -> None:
        self.transport = self

    def loseConnection(self) -> None:  # noqa: N802 (Twisted's name)
        self.closed = True

    def abort(self) -> Deferred[None]:
        self.closed = True
        return succeed(None)


class Pool(QuietPeriodPool):
    """With a clock that is given, and connections that connect to nobody."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__(None)
        self.now, self.looks = 0.0, list[Any]()
        monkeypatch.setattr(http_connections, "monotonic", lambda: self.now)
        monkeypatch.setattr(http_connections, "call_later", self._later)

    def _later(self, seconds: float, call: Callable[[], None]) -> Any:
        self.looks.append((self.now + seconds, call))
        return self

    def cancel(self) -> None:
        self.looks.clear()

    def _newConnection(self, key: Any, endpoint: Any) -> Deferred[Any]:  # noqa: N802
        return succeed(Connection())

    def get(self) -> Connection:
        found: list[Connection] = []
        self.getConnection(KEY, None).addCallback(found.append)
        return found[0]

    def put(self, connection: Connection) -> Connection:
        self._putConnection(KEY, connection)  # type: ignore[arg-type]
        return connection

    def wait(self, seconds: float) -> None:
        self.now += seconds
        due = [call for at, call in self.looks if at <= self.now]
        self.looks = [(at, call) for at, call in self.looks if at > self.now]
        for call in due:
            call()


@pytest.fixture
def pool(monkeypatch: pytest.MonkeyPatch) -> Pool:
    return Pool(monkeypatch)


def test_connection_pool_idle_connection_waits_before_reuse(pool: Pool) -> None:
    first = pool.put(pool.get())
    assert pool.get() is not first
    pool.wait(QUIET_PERIOD_S)
    assert pool.get() is first
    assert pool.get() is not first


def test_connection_pool_lost_connection_is_not_reused(pool: Pool) -> None:
    lost, other = pool.put(Connection()), pool.put(Connection())
    lost.state = "CONNECTION_LOST"
    pool.wait(QUIET_PERIOD_S)
    assert pool.get() is other


def test_connection_pool_surplus_and_old_idle_ones_are_closed(pool: Pool) -> None:
    pool.maxPersistentPerHost = 2
    connections = [pool.put(Connection()) for _ in range(4)]
    pool.wait(60)
    assert [one.closed for one in connections] == [True, True, False, False]
    pool.wait(pool.cachedConnectionTimeout - 61)
    assert [one.closed for one in connections] == [True, True, False, False]
    pool.wait(60)
    assert all(one.closed for one in connections)
    assert pool.looks == []  # nobody looks where there is nothing to see


def test_connection_pool_recently_used_is_not_closed(pool: Pool) -> None:
    pool.maxPersistentPerHost = 1
    pool.put(Connection())
    pool.now += 59
    late = [pool.put(Connection()) for _ in range(3)]
    pool.now -= 0.5
    pool.wait(1.0)
    assert not any(one.closed for one in late)


def test_connection_pool_close_ends_all(pool: Pool) -> None:
    connections = [pool.put(Connection()) for _ in range(3)]
    pool.closeCachedConnections()
    assert all(one.closed for one in connections)
    assert pool.looks == []
