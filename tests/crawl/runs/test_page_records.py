"""The audit rows of a run, as they are made of its items."""

from __future__ import annotations

from rori_spiders.crawl.runs.page_records import page_audit_row
from rori_spiders.items import FrontierUrl, PageItem
from rori_spiders.reasons import Reason, ReasonCode
from rori_spiders.runtime.redaction import Redactor
from tests.envelope.factories import NOON, SITE, an_id
from tests.support.cases import cases


@cases(
    ("kind", "state", "audited"),
    [
        ("page", "excluded", "excluded"),
        ("page", "failed", "failed"),
        ("sitemap", "excluded", "excluded"),
        ("sitemap", "failed", "failed"),
        ("sitemap", "captured", "fetched"),
        ("api", "unchanged", "fetched"),
    ],
)
def test_audit_row_has_state_in_which_its_url_ended(kind: str, state: str, audited: str) -> None:
    visit = FrontierUrl(an_id(1), "a", f"{SITE}map.xml", kind=kind)
    item = PageItem(visit, state, Reason(ReasonCode.ROBOTS_DISALLOWED, target_url=visit.url))
    row = page_audit_row(item, Redactor(), now=NOON, raw_hash=None, robots_object=None)
    assert (row.state, row.error is not None) == (audited, audited == "failed")
