"""Permits: what processes have under way never sums up to more than the limit, and none of them waits for ever."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import TYPE_CHECKING

import pytest

from rori_spiders.ledger.queue import permits
from tests.ledger.factories import at

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from rori_spiders.ledger.database import Ledger

_LIMIT = 10


def _claim(
    conn: Connection,
    name: str,
    wanted: int,
    *,
    keep: int = 0,
    limit: int = _LIMIT,
    fleet: int = 0,
    minutes: float = 0,
) -> tuple[int, int] | None:
    """As a process of the machine that *name* has before a slash, "m" without one; None when it has no place."""
    machine, _, process = name.rpartition("/")
    granted = permits.claim_permits(
        conn,
        f"{machine or 'm'}:{process}:job",
        keep=keep,
        wanted=wanted,
        limits=permits.PermitLimits(limit, fleet),
        now=at(minutes),
        ttl_s=90,
    )
    return None if isinstance(granted, str) else granted


def _held(conn: Connection, minutes: float = 0) -> dict[str, int]:
    return {claim.owner.split(":")[1]: claim.permits for claim in permits.load_claims(conn, now=at(minutes))}


def test_claim_permits_of_one_process_alone_gives_up_to_the_limit(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        assert _claim(conn, "a", 3) == (3, 3)
        assert _claim(conn, "a", 25, keep=3) == (_LIMIT, _LIMIT)
        assert _claim(conn, "a", 2) == (2, 2)


def test_claim_permits_while_others_wait_may_use_its_share_and_holds_what_is_under_way(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        _claim(conn, "a", 25)
        assert _claim(conn, "b", 4) == (0, 0)
        assert _claim(conn, "a", 25, keep=10) == (10, 6)
        assert _claim(conn, "b", 4) == (0, 0)
        assert _claim(conn, "a", 25, keep=8) == (8, 6)
        assert _claim(conn, "b", 4) == (2, 2)
        assert _claim(conn, "a", 25, keep=6) == (6, 6)
        assert _claim(conn, "b", 4, keep=2) == (4, 4)


def test_claim_permits_of_as_many_processes_as_the_limit_gives_each_one(ledger: Ledger) -> None:
    owners = [f"p{number}" for number in range(_LIMIT)]
    with ledger.begin() as conn:
        _claim(conn, owners[0], _LIMIT)
        for owner in owners[1:]:
            assert _claim(conn, owner, 5) == (0, 0)
        _claim(conn, owners[0], _LIMIT, keep=1)
        assert [_claim(conn, owner, 5) for owner in owners[1:]] == [(1, 1)] * (_LIMIT - 1)
        assert _claim(conn, "one more", 1) is None
        permits.release_permits(conn, f"m:{owners[3]}:job")
        assert _claim(conn, "one more", 1) == (1, 1)


def test_claim_permits_after_a_process_died_gives_its_permits_when_their_time_is_over(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        _claim(conn, "killed", 10)
        assert _claim(conn, "b", 10, minutes=1.49) == (0, 0)
        assert _claim(conn, "b", 10, minutes=1.5) == (10, 10)
        assert _held(conn, 1.5) == {"b": 10}


def test_claim_permits_with_a_smaller_limit_takes_nothing_from_what_is_under_way(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        _claim(conn, "a", 8)
        assert _claim(conn, "a", 8, keep=8, limit=4) == (8, 4)
        assert _claim(conn, "b", 8, limit=4) == (0, 0)


def test_claim_permits_of_each_machine_gives_up_to_its_own_limit(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        assert [_claim(conn, f"n{number}/p{number}", 25) for number in range(4)] == [(_LIMIT, _LIMIT)] * 4
        assert _claim(conn, "n0/q", 4) == (0, 0)
        assert _claim(conn, "n10/q10", 25) == (_LIMIT, _LIMIT)
        assert sum(_held(conn).values()) == 5 * _LIMIT


def test_claim_permits_of_machines_with_a_limit_of_the_fleet_keeps_their_sum(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        assert _claim(conn, "n0/a", 25, fleet=12) == (_LIMIT, _LIMIT)
        assert _claim(conn, "n1/b", 25, fleet=12) == (2, 2)
        assert _claim(conn, "n0/a", 25, fleet=12, keep=_LIMIT) == (_LIMIT, 6)
        assert _claim(conn, "n0/a", 25, fleet=12, keep=6) == (6, 6)
        assert _claim(conn, "n1/b", 25, fleet=12, keep=2) == (6, 6)


def test_claim_permits_of_a_machine_with_many_processes_leaves_the_others_what_it_cannot_use(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        for number in range(_LIMIT):
            assert _claim(conn, f"n0/p{number}", 25, fleet=20) == ((0, 0) if number else (_LIMIT, _LIMIT))
        assert _claim(conn, "n0/p0", 25, fleet=20, keep=1) == (1, 1)
        assert [_claim(conn, f"n0/p{number}", 25, fleet=20) for number in range(1, _LIMIT)] == [(1, 1)] * 9
        assert _claim(conn, "n1/q", 25, fleet=20) == (_LIMIT, _LIMIT)


def test_claim_permits_of_more_processes_than_the_limit_of_the_fleet_refuses_the_last(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        assert [_claim(conn, f"n{number}/p{number}", 1, fleet=3) for number in range(4)] == [(1, 1)] * 3 + [None]


@pytest.mark.parametrize(
    ("machines", "fleet", "seed"), [(1, 0, 0), (1, 0, 1), (1, 0, 2), (3, 0, 3), (3, 12, 4), (3, 12, 5)]
)
def test_claim_permits_of_processes_in_any_order_keeps_the_sums_and_starves_nobody(
    ledger: Ledger, machines: int, fleet: int, seed: int
) -> None:
    """Processes as they are: they use up to what they may, end requests at random, and claim at random."""
    random = Random(seed)
    owners = [f"n{number % machines}/p{number}" for number in range(random.randint(2, _LIMIT))]
    machine_names = {owner.partition("/")[2]: owner.partition("/")[0] for owner in owners}
    under_way, may_use, waited = (dict.fromkeys(owners, 0) for _ in range(3))
    with ledger.begin() as conn:
        for _ in range(25):
            for owner in random.sample(owners, len(owners)):
                under_way[owner] -= random.randint(0, under_way[owner])
                wanted = random.randint(1, 14)
                keep = max(under_way[owner], may_use[owner])
                granted = _claim(conn, owner, wanted, keep=keep, fleet=fleet)
                assert granted is not None
                held, may_use[owner] = granted
                if held > (keep := max(under_way[owner], may_use[owner])):
                    granted = _claim(conn, owner, wanted, keep=keep, fleet=fleet)
                    assert granted is not None
                    may_use[owner] = granted[1]
                under_way[owner] = max(under_way[owner], random.randint(0, may_use[owner]))
                waited[owner] = 0 if may_use[owner] else waited[owner] + 1
                held_by = Counter[str]()
                for name, number in _held(conn).items():
                    held_by[machine_names[name]] += number
                assert max(held_by.values()) <= _LIMIT
                assert held_by.total() <= (fleet or machines * _LIMIT)
                assert sum(under_way.values()) <= (fleet or machines * _LIMIT)
                assert waited[owner] <= 20


def test_claim_permits_of_many_threads_at_once_never_gives_more_than_the_limit(ledger: Ledger) -> None:
    def claim(number: int) -> tuple[int, int] | None:
        with ledger.begin() as conn:
            return _claim(conn, f"p{number}", 3)

    with ThreadPoolExecutor(8) as pool:
        granted = list(pool.map(claim, range(16)))
    assert sum(one is None for one in granted) == 16 - _LIMIT
    with ledger.connect() as conn:
        assert sum(_held(conn).values()) <= _LIMIT
