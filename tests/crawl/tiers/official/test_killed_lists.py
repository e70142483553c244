"""A job that is killed while it collects a list of an official API: the next one loses and repeats nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.crawl.crashes.kill_addon import ADDONS, Death
from tests.crawl.tiers.official.test_cfr_part import SECTIONS, Collected
from tests.crawl.tiers.official.test_federal_register import Searched

if TYPE_CHECKING:
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl


def _killed(collected: Collected | Searched, death: Death) -> None:
    """A collection that dies so, and the end of its lease."""
    collected.publishers.collect(collected.project, "-s", f"ADDONS={ADDONS}", **death.env())
    assert collected.left.last_run(collected.source_id)["state"] == "running"
    collected.left.expire_claims()


# robots.txt, titles, versions and the text: what it holds is recorded after the fourth answer.
@pytest.mark.parametrize(("answers", "steps"), [(2, 1), (3, 1), (4, 1), (4, 4), (4, 9), (4, 16), (4, 24)])
def test_cfr_part_killed_then_resumed_is_complete(project: Project, site: Site, answers: int, steps: int) -> None:
    collected = Collected(project, site)
    _killed(collected, Death("answers", answers=answers, steps=steps))
    collected.collect()
    assert collected.left.last_run("reg-x")["state"] == "complete", collected.log
    assert collected.states() == dict.fromkeys({"", *SECTIONS}, "captured")
    assert len(collected.left.index()) == len(collected.left.files()) == 5
    assert len(collected.left.runs()) == 1
    collected.left.assert_sums()
    collected.left.assert_verified()
    collected.collect()  # what was read one by one is read again with the text, and is as it was
    assert set(collected.states().values()) == {"unchanged"}
    assert collected.collect() == ["titles.json", "versions"]


# robots.txt, two pages of the list, three texts.
@pytest.mark.parametrize(("answers", "steps"), [(2, 1), (3, 1), (4, 3), (5, 6)])
def test_federal_register_search_killed_then_resumed_is_complete(
    project: Project, site: Site, answers: int, steps: int
) -> None:
    searched = Searched(project, site)
    _killed(searched, Death("answers", answers=answers, steps=steps))
    searched.collect()
    assert searched.run()["state"] == "complete", searched.log
    assert searched.left.states("rules") == dict.fromkeys(searched.rules, "captured")
    assert len(searched.left.index()) == 3
    assert len(searched.left.runs()) == 1
    searched.left.assert_sums()
    searched.left.assert_verified()
    assert searched.collect() == ["list", "list"]


def test_federal_register_search_incomplete_stays_so_after_kill(project: Project, site: Site) -> None:
    searched = Searched(project, site)
    searched.register.publish(count=9)
    _killed(searched, Death("answers", answers=5, steps=20))
    searched.collect()
    assert (searched.run()["state"], searched.run()["reason_code"]) == ("incomplete", "pages_unknown")


def test_cfr_part_incomplete_stays_so_after_kill(project: Project, site: Site) -> None:
    collected = Collected(project, site)
    del collected.part.texts["1024.2"]
    collected.part.publish()
    _killed(collected, Death("answers", answers=4, steps=16))
    collected.collect()
    run = collected.left.last_run("reg-x")
    assert (run["state"], run["reason_code"]) == ("incomplete", "pages_unknown")
    assert "1024.2" in run["reason"]
