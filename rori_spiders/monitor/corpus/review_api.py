"""Operator actions on a corpus run. Each is one transaction; a refusal states the reason."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from fastapi import APIRouter, Request

from rori_spiders.configuration.locations import setting_path
from rori_spiders.corpus.run_states import WORK
from rori_spiders.corpus.runs import review
from rori_spiders.corpus.runs.review import lock_run
from rori_spiders.corpus.runs.run import (
    create_run,
    hosts_of,
    model_from_settings,
    named_sources,
    resolve_target,
    sources_of,
    sources_of_corpus,
)
from rori_spiders.corpus.site_rules import read_rules_file
from rori_spiders.exceptions import UsageError
from rori_spiders.monitor.corpus import page_queries as pages
from rori_spiders.monitor.corpus import queries as runs
from rori_spiders.monitor.corpus.api import run_detail, workers_of
from rori_spiders.monitor.corpus.page_api import CorpusPageId  # noqa: TC001
from rori_spiders.monitor.corpus.schemas import (
    CorpusAddition,
    CorpusApproval,
    CorpusApproved,
    CorpusBeginning,
    CorpusCleaning,
    CorpusDecision,
    CorpusPage,
    CorpusReason,
    CorpusRunDetail,
)
from rori_spiders.monitor.rest.params import RunId  # noqa: TC001
from rori_spiders.monitor.security.permissions import Operator  # noqa: TC001
from rori_spiders.monitor.state.dependencies import AppStateDep  # noqa: TC001

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from typing import TypeVar

    from rori_spiders.corpus.runs.review import LockedRun
    from rori_spiders.monitor.security.permissions import Person
    from rori_spiders.monitor.state.dependencies import AppState

    T = TypeVar("T")

router = APIRouter(tags=["corpus"])
_IN_REVIEW = ("ready_for_review",)


@router.post("/corpus/runs")
def begin_run(order: CorpusBeginning, person: Operator, served: AppStateDep, request: Request) -> CorpusRunDetail:
    """Start a run of a domain without an open run. Publishing needs a person."""
    rules = read_rules_file(
        setting_path("RORI_CORPUS_RULES", served.settings, served.root / "scrapy.cfg"), order.domain
    )
    model = model_from_settings(served.settings)
    with served.ledger.begin() as conn:
        catalog = served.catalog(conn)
        named = named_sources(order.domain, rules)
        has_sources = order.sources or named or sources_of_corpus(catalog, order.domain, None)
        site = None if has_sources else f"https://{order.domain}/"  # the form states that the site will be requested
        target = resolve_target(catalog, order.domain, order.sources, site, rules=rules)
        run = create_run(conn, order.domain, target, rules=rules, model=model, by=person.name, now=served.now())
    return _order_work(served, request, run.run_id)


@router.post("/corpus/runs/{run_id}/pages")
def add_page(
    run_id: RunId, order: CorpusAddition, person: Operator, served: AppStateDep, request: Request
) -> CorpusPage:
    """Add a URL that the map does not have: it is included, then fetched and cleaned."""
    with served.ledger.connect() as conn:
        run = runs.get_run(conn, run_id)
        hosts = hosts_of(run, sources_of(served.catalog(conn), run))
    does = partial(review.add_url, url=order.url, reason=order.reason, hosts=hosts)
    page_id = _act_on_run(served, run_id, person, review.DECIDED_IN, does)
    _order_work(served, request, run_id)
    return _read_page(served, run_id, page_id)


@router.post("/corpus/runs/{run_id}/pages/{page_id}/decision")
def decide_page(
    run_id: RunId, page_id: CorpusPageId, order: CorpusDecision, person: Operator, served: AppStateDep, request: Request
) -> CorpusPage:
    """Include or exclude a page, in this run and all later ones; or let the rules decide again."""
    if order.decision is None:
        does = partial(review.clear_decision, page_id=page_id, reason=order.reason)
    else:
        does = partial(review.decide_page, page_id=page_id, decision=order.decision, reason=order.reason)
    _act_on_run(served, run_id, person, review.DECIDED_IN, does)
    _order_work(served, request, run_id)
    return _read_page(served, run_id, page_id)


@router.post("/corpus/runs/{run_id}/pages/{page_id}/approve")
def approve_page(
    run_id: RunId, page_id: CorpusPageId, order: CorpusApproval, person: Operator, served: AppStateDep
) -> CorpusPage:
    """Approve the reviewed text; the approval is valid until the source text changes."""
    does = partial(review.approve_page, page_id=page_id, document=order.document, reason=order.reason)
    _act_on_run(served, run_id, person, _IN_REVIEW, does)
    return _read_page(served, run_id, page_id)


@router.post("/corpus/runs/{run_id}/pages/{page_id}/reject")
def reject_page(
    run_id: RunId, page_id: CorpusPageId, order: CorpusReason, person: Operator, served: AppStateDep
) -> CorpusPage:
    """Reject a text: the run cannot be approved until the page is cleaned again or excluded."""
    _act_on_run(served, run_id, person, _IN_REVIEW, partial(review.reject_page, page_id=page_id, reason=order.reason))
    return _read_page(served, run_id, page_id)


@router.post("/corpus/runs/{run_id}/clean")
def clean_again(
    run_id: RunId, order: CorpusCleaning, person: Operator, served: AppStateDep, request: Request
) -> CorpusRunDetail:
    """Clean pages again by the current rules. An approval holds where the text comes out as it was."""
    with served.ledger.connect() as conn:
        domain = runs.get_run(conn, run_id).domain
    rules = read_rules_file(setting_path("RORI_CORPUS_RULES", served.settings, served.root / "scrapy.cfg"), domain)
    does = partial(review.clean_again, page_ids=list(dict.fromkeys(order.pages)), rules=rules)
    _act_on_run(served, run_id, person, _IN_REVIEW, does)
    return _order_work(served, request, run_id)


@router.post("/corpus/runs/{run_id}/approve-publishable")
def approve_publishable(run_id: RunId, person: Operator, served: AppStateDep) -> CorpusApproved:
    """Approve all pages that passed every gate and have no review yet."""
    return CorpusApproved(approved=_act_on_run(served, run_id, person, _IN_REVIEW, review.approve_publishable))


@router.post("/corpus/runs/{run_id}/approve")
def approve_run(run_id: RunId, person: Operator, served: AppStateDep, request: Request) -> CorpusRunDetail:
    """Approve the run, once every included page is approved; else return the open questions."""
    _act_on_run(served, run_id, person, _IN_REVIEW, review.approve_run)
    return run_detail(served, request, run_id)


@router.post("/corpus/runs/{run_id}/withdraw")
def withdraw_approval(
    run_id: RunId, order: CorpusReason, person: Operator, served: AppStateDep, request: Request
) -> CorpusRunDetail:
    """Withdraw the approval of the run; page approvals are kept."""
    _act_on_run(served, run_id, person, ("approved",), partial(review.withdraw_approval, reason=order.reason))
    return run_detail(served, request, run_id)


@router.post("/corpus/runs/{run_id}/cancel")
def cancel_run(
    run_id: RunId, order: CorpusReason, person: Operator, served: AppStateDep, request: Request
) -> CorpusRunDetail:
    """Cancel the run; decisions and approvals are kept, and its worker ends within a minute."""
    _act_on_run(served, run_id, person, (), partial(review.cancel_run, reason=order.reason))
    return run_detail(served, request, run_id)


@router.post("/corpus/runs/{run_id}/resume")
def resume_run(run_id: RunId, person: Operator, served: AppStateDep, request: Request) -> CorpusRunDetail:
    """Resume a failed run in the state where it stopped."""
    _act_on_run(served, run_id, person, (), review.resume_run)
    return _order_work(served, request, run_id)


@router.post("/corpus/runs/{run_id}/go-on")
def continue_run(run_id: RunId, _: Operator, served: AppStateDep, request: Request) -> CorpusRunDetail:
    """Start a worker for a run without one, because it was killed or its machine went down."""
    with served.ledger.connect() as conn:
        run = runs.get_run(conn, run_id)
    if run.state not in WORK:
        raise UsageError(f"The run of {run.domain} is {run.state}: it has no work for a process.")
    if workers_of(request) is None:
        raise UsageError(
            f"This monitor does not start processes (RORI_MONITOR_EXECUTOR). Run: scrapy corpus run {run.domain}"
        )
    return _order_work(served, request, run_id)


def _act_on_run(
    served: AppState, run_id: str, person: Person, states: Collection[str], does: Callable[[LockedRun], T]
) -> T:
    """Run *does* with the locked run, on behalf of *person*. Raises ApiError where the run's state forbids it."""
    with served.ledger.connect() as conn:
        runs.get_run(conn, run_id)  # an unknown run is 404, not a conflict
    with lock_run(served.ledger, run_id, by=person.name, now=served.now(), states=states) as locked:
        return does(locked)


def _order_work(served: AppState, request: Request, run_id: str) -> CorpusRunDetail:
    """Return the run, after ordering a worker if its state needs one."""
    workers = workers_of(request)
    with served.ledger.connect() as conn:
        run = runs.get_run(conn, run_id)
    if workers is not None and run.is_open and run.state in WORK:
        workers.order(run.domain)
    return run_detail(served, request, run_id)


def _read_page(served: AppState, run_id: str, page_id: str) -> CorpusPage:
    with served.ledger.connect() as conn:
        return pages.page_detail(conn, served.store, runs.get_run(conn, run_id), pages.get_page(conn, run_id, page_id))
