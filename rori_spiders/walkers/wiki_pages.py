"""Pages of a wiki that came as people see them, its api.php being closed: told what the API would have told of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rori_spiders.ladder import MEDIAWIKI
from rori_spiders.refusals import Redirected
from rori_spiders.urls import origin_of, url_hash
from rori_spiders.wikis import page as wiki_page

if TYPE_CHECKING:
    from rori_spiders.items import PageItem
    from rori_spiders.job import Job
    from rori_spiders.run import Run


def tell(item: PageItem, job: Job, run: Run, prefix: str) -> None:
    """Note on *item* that its title redirects, and that it only tells meanings apart.

    A title that redirects is an alias where the page is one of the run's own, or a list named the title; where the
    source names it, it keeps its address, if only its text is shown there.
    """
    facts, url = item.fetched, item.visit.url
    if facts is None or facts.tier == MEDIAWIKI or item.visit.kind != "page" or not _is_shown(item):
        return
    said = wiki_page.read(facts.body, url, prefix)
    if said.is_disambiguation:
        item.fetched = replace(facts, said=replace(facts.said, disambiguation=True))
    to = said.leads_to
    if to is None:
        return
    if to in {"", url}:
        what = (
            "redirect_loop: the wiki's page redirects in a circle" if to else "redirect_stub: to what is no page of it"
        )
        item.state, item.reason = "failed", what
    elif said.is_stub or item.visit.found_on is not None or url_hash(to) in run.known:
        item.state, item.reason, item.alias_of, item.fetched = "excluded", Redirected(to).reason, to, None
    elif (robots := job.robots.get(origin_of(to))) is not None and not robots.allows(to):
        item.state, item.reason = "excluded", f"robots.txt disallows {to}, to which the page redirects"


def _is_shown(item: PageItem) -> bool:
    """Whether it is a page of the wiki, or the stub that a title shows which redirects twice: it tells where to."""
    is_stub = item.verdict is not None and item.verdict.kind == "redirect_stub"
    return item.state == "captured" or (item.state == "failed" and is_stub)
