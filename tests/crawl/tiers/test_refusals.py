"""Each refusal says in which state its URL ends; none of them is a failure of Scrapy's."""

from __future__ import annotations

from scrapy.exceptions import IgnoreRequest

from rori_spiders.crawl.tiers import refusals
from rori_spiders.ledger.tables.runs import URL_STATES
from rori_spiders.reasons import Reason, ReasonCode
from tests.support.cases import cases

KINDS = [one for one in vars(refusals).values() if isinstance(one, type) and issubclass(one, refusals.Refused)]


@cases("kind", KINDS)
def test_refusal_state_is_one_of_ledger(kind: type[refusals.Refused]) -> None:
    assert issubclass(kind, IgnoreRequest)
    assert kind.state in URL_STATES
    assert (kind.__doc__ or "").startswith("Raised ")


def test_refusal_by_publisher_or_manifest_is_excluded_not_failed() -> None:
    excluded = {kind for kind in KINDS if kind.state == "excluded"}
    assert excluded == {refusals.OutOfScope, refusals.Redirected, refusals.RobotsDisallowed}


def test_refusal_reason_is_preserved() -> None:
    unavailable = Reason(ReasonCode.ROBOTS_UNAVAILABLE, error="HTTP 503")
    assert refusals.RobotsUnavailable(unavailable).reason is unavailable
    assert refusals.Redirected("https://www.hud.gov/new").reason == Reason(
        "redirected", target_url="https://www.hud.gov/new"
    )
