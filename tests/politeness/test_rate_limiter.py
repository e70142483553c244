"""The pace of a group, by a clock that the test holds."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from math import inf
from random import Random

import pytest

from rori_spiders.politeness.rate_limiter import MARGIN, RateLimiter
from rori_spiders.reasons import Reason, ReasonCode

GROUP = "hud.gov"


@dataclass(frozen=True)
class Said:
    """What the manifest says of a group."""

    delay_s: float = 2.0
    concurrency: int = 3


@dataclass
class Clock:
    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


@dataclass
class World:
    clock: Clock = field(default_factory=Clock)
    said: dict[str, Said] = field(default_factory=dict)

    def politeness(self) -> RateLimiter:
        return RateLimiter(lambda group: self.said.get(group, Said()), self.clock)


@pytest.fixture
def world() -> World:
    return World()


def send(politeness: RateLimiter, group: str = GROUP) -> None:
    """A request from the queue onto the wire, at once."""
    politeness.popped(group)
    politeness.pace(group).waiting -= 1
    politeness.started(group)
    politeness.pace(group).opening -= 1
    politeness.sent(group)


def test_new_group_is_ready_at_once(world: World) -> None:
    assert world.politeness().ready_in(GROUP) == 0


def test_next_request_waits_for_delay_and_margin(world: World) -> None:
    politeness = world.politeness()
    send(politeness)
    assert politeness.ready_in(GROUP) == pytest.approx(2.05)
    world.clock.now += 2.0
    assert politeness.ready_in(GROUP) == pytest.approx(0.05)
    world.clock.now += 0.06
    assert politeness.ready_in(GROUP) == 0


def test_groups_do_not_wait_for_each_other(world: World) -> None:
    politeness = world.politeness()
    send(politeness)
    assert politeness.ready_in("va.gov") == 0


def test_manifest_sets_delay_and_concurrency(world: World) -> None:
    world.said[GROUP] = Said(delay_s=10, concurrency=1)
    politeness = world.politeness()
    send(politeness)
    politeness.left(GROUP)
    assert politeness.ready_in(GROUP) == pytest.approx(10 * MARGIN)


def test_one_request_at_most_waits_in_the_downloader(world: World) -> None:
    politeness = world.politeness()
    politeness.popped(GROUP)
    assert politeness.ready_in(GROUP) == inf


def test_group_sends_nothing_while_connection_opens(world: World) -> None:
    politeness = world.politeness()
    politeness.started(GROUP)
    world.clock.now += 60
    assert politeness.ready_in(GROUP) == inf


def test_delay_counts_from_sending_of_request(world: World) -> None:
    politeness = world.politeness()
    politeness.started(GROUP)
    world.clock.now += 5  # a slow handshake
    politeness.pace(GROUP).opening -= 1
    politeness.sent(GROUP)
    assert politeness.ready_in(GROUP) == pytest.approx(2.05)


def test_no_more_at_once_than_allowed(world: World) -> None:
    politeness = world.politeness()
    for _ in range(3):
        assert politeness.ready_in(GROUP) == 0
        send(politeness)
        world.clock.now += 3
    assert politeness.ready_in(GROUP) == inf
    politeness.left(GROUP)
    assert politeness.ready_in(GROUP) == 0


def test_pause_holds_group_back_and_never_shortens_longer_one(world: World) -> None:
    politeness = world.politeness()
    politeness.pause(GROUP, 300)
    politeness.pause(GROUP, 30)
    assert politeness.ready_in(GROUP) == 300
    world.clock.now += 300
    assert politeness.ready_in(GROUP) == 0


def test_pause_and_delay_end_with_the_later(world: World) -> None:
    politeness = world.politeness()
    send(politeness)
    politeness.pause(GROUP, 1)
    assert politeness.ready_in(GROUP) == pytest.approx(2.05)


def test_slower_when_asked_never_faster(world: World) -> None:
    politeness = world.politeness()
    politeness.slow_down(GROUP, 10)
    politeness.slow_down(GROUP, 3)
    send(politeness)
    assert politeness.ready_in(GROUP) == pytest.approx(10 * MARGIN)
    assert politeness.pace(GROUP).learnt_s == 10


def test_delay_below_promise_changes_nothing(world: World) -> None:
    politeness = world.politeness()
    politeness.slow_down(GROUP, 0.5)
    send(politeness)
    assert politeness.ready_in(GROUP) == pytest.approx(2.05)
    assert politeness.pace(GROUP).learnt_s is None


@pytest.mark.parametrize(("ago", "wait"), [(0.0, 2.05), (1.0, 1.05), (2.05, 0.0), (60.0, 0.0), (-5.0, 2.05)])
def test_request_of_another_process_counts(world: World, ago: float, wait: float) -> None:
    politeness = world.politeness()
    politeness.restore_last_request(GROUP, ago)
    assert politeness.ready_in(GROUP) == pytest.approx(wait)


def test_older_request_of_another_process_changes_nothing(world: World) -> None:
    politeness = world.politeness()
    send(politeness)
    politeness.restore_last_request(GROUP, 100)
    assert politeness.ready_in(GROUP) == pytest.approx(2.05)


def test_paces_of_all_groups(world: World) -> None:
    politeness = world.politeness()
    send(politeness)
    send(politeness, "va.gov")
    assert set(politeness.paces()) == {GROUP, "va.gov"}


def test_thousand_requests_keep_promise(world: World) -> None:
    """Whatever answers come when: never two within 2 s, never more than 3 at once."""
    random = Random(9309)
    politeness = world.politeness()
    sent: list[float] = []
    out: list[float] = []  # when the requests in flight will be answered
    while len(sent) < 1000:
        wait = politeness.ready_in(GROUP)
        if wait == 0:
            send(politeness)
            sent.append(world.clock.now)
            out.append(world.clock.now + random.choice([0.01, 0.5, 4.0, 30.0]))
            assert len(out) <= 3
            continue
        next_answer = min(out, default=inf)
        world.clock.now = min(world.clock.now + wait, next_answer)
        if next_answer <= world.clock.now:
            out.remove(next_answer)
            politeness.left(GROUP)
        if random.random() < 0.02:
            politeness.pause(GROUP, random.choice([1.0, 20.0]))
    gaps = [later - earlier for earlier, later in pairwise(sent)]
    assert min(gaps) >= 2.0


def test_throttled_group_waits_longer_and_recovers(world: World) -> None:
    politeness = world.politeness()
    politeness.throttle(GROUP, 12)
    send(politeness)
    assert politeness.ready_in(GROUP) == pytest.approx(12)
    politeness.throttle(GROUP, 5)
    assert politeness.ready_in(GROUP) == pytest.approx(5)
    politeness.throttle(GROUP, 1)  # below the group's own delay it says nothing
    assert politeness.ready_in(GROUP) == pytest.approx(2.05)
    assert politeness.pace(GROUP).throttle_s == 0


def test_throttle_never_shortens_crawl_delay(world: World) -> None:
    politeness = world.politeness()
    politeness.robots_asks(GROUP, "https://www.hud.gov", 10)
    politeness.throttle(GROUP, 4)
    send(politeness)
    assert politeness.ready_in(GROUP) == pytest.approx(10 * MARGIN)


def test_group_sends_nothing_while_robots_file_is_awaited(world: World) -> None:
    politeness = world.politeness()
    politeness.pace(GROUP).held_for.add("https://www.hud.gov")
    assert politeness.ready_in(GROUP) == inf
    assert politeness.ready_in("va.gov") == 0
    politeness.pace(GROUP).held_for.discard("https://www.hud.gov")
    assert politeness.ready_in(GROUP) == 0


def test_crawl_delay_is_that_of_robots_files_read_now(world: World) -> None:
    politeness = world.politeness()
    politeness.slow_down(GROUP, 30)  # remembered by an earlier job
    kept = [politeness.pace(GROUP).to_keep_s]
    for origin, delay_s in (("https://www.hud.gov", None), ("https://old.hud.gov", 10)):  # the first asks no more
        politeness.robots_asks(GROUP, origin, delay_s)
        kept.append(politeness.pace(GROUP).to_keep_s)
    assert kept == [30, None, 10]
    assert politeness.pace(GROUP).delay == pytest.approx(30 * MARGIN)  # within this job it is kept all the same


def test_idle_group_holds_nothing_back(world: World) -> None:
    politeness = world.politeness()
    send(politeness)
    politeness.pause(GROUP, 300)
    politeness.leave_alone(GROUP, 3600, Reason(ReasonCode.COOLING_DOWN, error="it asks for an hour"))
    assert politeness.left_alone(GROUP) == Reason(ReasonCode.COOLING_DOWN, error="it asks for an hour")
    assert politeness.ready_in(GROUP) == 0  # to be refused
    politeness.popped(GROUP)
    assert politeness.ready_in(GROUP) == inf  # one after the other
    assert politeness.left_alone("va.gov") is None


def test_group_after_pause_is_requested_as_before(world: World) -> None:
    politeness = world.politeness()
    politeness.leave_alone(GROUP, 3600, Reason(ReasonCode.COOLING_DOWN, error="it asks for an hour"))
    world.clock.now += 3601
    assert politeness.left_alone(GROUP) is None
    politeness.pause(GROUP, 30)  # another pause is no such wish
    assert politeness.left_alone(GROUP) is None
    assert politeness.ready_in(GROUP) == 30


def test_part_of_page_after_its_own_request_leaves_at_once(world: World) -> None:
    politeness, rendered = world.politeness(), object()
    send(politeness)
    politeness.part_leaves(GROUP, rendered)
    assert politeness.part_in(GROUP, rendered) == 0
    politeness.pause(GROUP, 30)
    assert politeness.part_in(GROUP, rendered) == 30


def test_queue_holds_group_of_page_until_it_ends_and_counts_from_its_last_part(world: World) -> None:
    politeness, rendered = world.politeness(), object()
    politeness.part_leaves(GROUP, rendered)
    world.clock.now += 10
    assert politeness.ready_in(GROUP) == inf
    politeness.part_leaves(GROUP, rendered)
    world.clock.now += 1
    politeness.page_ends(rendered)
    assert politeness.ready_in(GROUP) == pytest.approx(1.05)


def test_part_after_request_of_another_waits_the_delay(world: World) -> None:
    politeness, rendered, another = world.politeness(), object(), object()
    politeness.part_leaves(GROUP, rendered)
    politeness.part_leaves(GROUP, another)
    assert politeness.part_in(GROUP, another) == 0
    assert politeness.part_in(GROUP, rendered) == pytest.approx(2.05)


def test_part_while_a_request_is_opening_waits_for_it(world: World) -> None:
    politeness, rendered = world.politeness(), object()
    politeness.part_leaves(GROUP, rendered)
    politeness.started(GROUP)
    assert politeness.part_in(GROUP, rendered) == inf
    politeness.pace(GROUP).opening -= 1
    assert politeness.part_in(GROUP, rendered) == pytest.approx(2.05)
