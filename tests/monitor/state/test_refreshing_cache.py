"""What is kept of a long reading: how old it may be, what makes it be read again, and that nothing reads for nobody."""

from __future__ import annotations

import pytest

from rori_spiders.exceptions import LedgerError
from rori_spiders.monitor.state import refreshing_cache
from rori_spiders.monitor.state.refreshing_cache import RefreshingCache


class World:
    """A time, a state of the ledger, and how often it was read."""

    def __init__(self) -> None:
        self.now = 0.0
        self.state = 1
        self.readings = 0
        self.kept = RefreshingCache(self.read, lambda: self.state, lambda: self.now)

    def read(self) -> int:
        self.readings += 1
        return self.state


def test_refreshing_cache_value_is_reused_until_old() -> None:
    world = World()
    assert world.kept.get() == 1
    world.state, world.now = 2, refreshing_cache.MAX_AGE_S
    assert world.kept.get() == 1
    world.now += 0.1
    assert (world.kept.get(), world.readings) == (2, 2)
    world.kept.close()


def test_refreshing_cache_is_refreshed_in_background_after_write() -> None:
    world = World()
    world.kept.get()
    world.now = refreshing_cache.STALE_AFTER_S + 0.1
    world.kept.refresh()
    assert world.readings == 1, "its mark is the same"
    world.now += refreshing_cache.STALE_AFTER_S + 0.1
    world.state = 2
    world.kept.refresh()
    assert (world.kept.get(), world.readings) == (2, 2)
    world.kept.close()


def test_refreshing_cache_unchanged_mark_is_read_again_eventually() -> None:
    world = World()
    world.kept.get()
    for _ in range(9):
        world.now += refreshing_cache.STALE_AFTER_S + 0.1
        world.kept.refresh()
    assert world.readings == 2, "leases end, and days, though nobody writes"
    world.kept.close()


def test_refreshing_cache_action_during_read_invalidates() -> None:
    world = World()
    world.kept.get()
    world.state = 2
    world.kept.drop()
    assert world.kept.get() == 2

    def acted_meanwhile() -> int:
        was = world.state
        world.state = 3
        world.kept.drop()
        return was

    world.now += refreshing_cache.MAX_AGE_S + 1
    world.kept._read = acted_meanwhile
    assert world.kept.get() == 2
    world.kept._read = world.read
    assert world.kept.get() == 3
    world.kept.close()


def test_refreshing_cache_error_reaches_caller() -> None:
    world = World()

    def away() -> int:
        raise LedgerError("it is away")

    world.kept._read = away
    with pytest.raises(LedgerError, match="it is away"):
        world.kept.get()
    world.kept._read = world.read
    assert world.kept.get() == 1
    world.kept.close()


def test_refreshing_cache_without_readers_reads_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refreshing_cache, "STALE_AFTER_S", 0.01)
    world = World()
    world.kept.get()
    reader = world.kept._reader
    assert reader is not None and reader._thread.is_alive()
    world.now = refreshing_cache.IDLE_AFTER_S
    reader._thread.join(20)
    assert not reader._thread.is_alive()
    world.kept.get()
    assert world.kept._reader is not reader
    world.kept.close()
