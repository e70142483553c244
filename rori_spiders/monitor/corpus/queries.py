"""Read corpora: domains, runs with their counts, published versions."""

from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from typing import Any, get_args

from sqlalchemy import Connection, Row

from rori_spiders.corpus.publishing.loader_runner import STARTABLE_STATES, loader_status
from rori_spiders.corpus.run_states import WAITING, WORK, may_move
from rori_spiders.corpus.runs.review import DECIDED_IN, EXCLUDED, NEEDS_REVIEW, PUBLISHABLE, open_questions
from rori_spiders.ledger.corpus import published_versions, run_pages, run_states
from rori_spiders.ledger.corpus.run_pages import PageStatus
from rori_spiders.ledger.corpus.run_states import CorpusRun as Run
from rori_spiders.ledger.dialects import lease_clock
from rori_spiders.monitor.corpus.schemas import (
    CorpusAction,
    CorpusCounts,
    CorpusDomain,
    CorpusDomains,
    CorpusHistory,
    CorpusProcess,
    CorpusQuestion,
    CorpusRun,
    CorpusRunDetail,
    CorpusSection,
    CorpusVersion,
)
from rori_spiders.monitor.rest.errors import ApiError
from rori_spiders.monitor.state.dependencies import AppState


def latest_version(conn: Connection, served: AppState, domain: str) -> CorpusVersion | None:
    """Return the latest published version of *domain*."""
    row = published_versions.latest_version(conn, domain)
    return None if row is None else _version_row(conn, served, row, row)


def list_versions(conn: Connection, served: AppState, domain: str, *, limit: int) -> list[CorpusVersion]:
    """List the latest versions of *domain*, newest first."""
    newest = published_versions.latest_version(conn, domain)
    return [
        _version_row(conn, served, row, newest) for row in published_versions.list_versions(conn, domain, limit=limit)
    ]


def version_detail(conn: Connection, served: AppState, row: Row[Any]) -> CorpusVersion:
    """Return a version with the current state of its loader."""
    return _version_row(conn, served, row, published_versions.latest_version(conn, row.domain))


def _version_row(conn: Connection, served: AppState, row: Row[Any], newest: Row[Any] | None) -> CorpusVersion:
    is_latest = newest is not None and newest.version == row.version
    state, says = loader_status(row, served.settings, now=lease_clock(conn, served.now()), is_latest=is_latest)
    may_load = is_latest and state in STARTABLE_STATES
    known = {column: getattr(row, column) for column in CorpusVersion.model_fields if column in row._mapping}
    return CorpusVersion.model_validate({**known, "loader_state": state, "loader_says": says, "may_load": may_load})


# Domains, runs with their open questions and counts, and versions in the form of the API.

_MAX_READ, _MAX_SHOWN = 1_000, 100
#: States of a run that allow each action.
_ACTION_STATES: Mapping[CorpusAction, tuple[str, ...]] = {
    "decide": DECIDED_IN,
    "review": ("ready_for_review",),
    "approve": ("ready_for_review",),
    "publish": ("approved",),
    "withdraw": ("approved",),
    "resume": ("failed",),
    "go_on": WORK,
}


def get_run(conn: Connection, run_id: str) -> Run:
    """Read a run. Raises ApiError 404."""
    found = run_states.find_run(conn, run_id)
    if found is None:
        raise ApiError(404, "unknown_corpus_run", f"Corpus run {run_id} not found.")
    return found


def list_domains(conn: Connection, served: AppState) -> CorpusDomains:
    """List domains that have or had a corpus, by name; then domains that could have one."""
    newest: dict[str, Run] = {}
    for one in run_states.list_runs(conn, limit=_MAX_READ):
        if one.is_open or one.domain not in newest:
            newest[one.domain] = one
    names = {row.domain for row in published_versions.list_versions(conn, limit=_MAX_READ)}
    published = {name: latest_version(conn, served, name) for name in names}
    counted = run_pages.count_by_status(conn, [one.run_id for one in newest.values()])
    items = [
        CorpusDomain(
            domain=name,
            run=run and run_row(run, lease_clock(conn, served.now())),
            counts=run and page_counts(counted[run.run_id]),
            latest=published.get(name),
        )
        for name in sorted({*newest, *published})
        for run in [newest.get(name)]
    ]
    known = {source.domain for source in served.catalog(conn).sources}
    return CorpusDomains(items=items, others=sorted(known - {*newest, *published}))


def run_row(run: Run, now: datetime) -> CorpusRun:
    """Return a run as a row; *now*: the ledger's time."""
    return CorpusRun.model_validate(_run_fields(run, now))


def run_detail(
    conn: Connection, run: Run, now: datetime, process: CorpusProcess | None, *, starts: bool
) -> CorpusRunDetail:
    """Return a run with its sections and open questions."""
    statuses = run_pages.count_by_status(conn, [run.run_id])[run.run_id]
    facts = _run_fields(run, lease_clock(conn, now))
    is_asked = run.state == "ready_for_review"
    return CorpusRunDetail(
        **facts,
        counts=page_counts(statuses),
        sections=_section_counts(statuses),
        questions=[CorpusQuestion.model_validate(one) for one in open_questions(run_pages.list_pages(conn, run.run_id))]
        if is_asked
        else [],
        may=_allowed_actions(run, is_worked_on=facts["worker"] is not None),
        process=process,
        starts=starts,
    )


def _run_fields(run: Run, now: datetime) -> dict[str, Any]:
    is_worked_on = run.worker_until is not None and run.worker_until > now
    turn = "person" if run.state in WAITING else "machine" if run.state in WORK else "over"
    values = {name: getattr(run, name) for name in CorpusRun.model_fields if name in type(run).__slots__}
    sources = list(run.target.get("sources", ()))
    more = {"turn": turn, "sources": sources, "url": run.target.get("url")}
    return {**values, **more, "worker": run.worker if is_worked_on else None}


def _allowed_actions(run: Run, *, is_worked_on: bool) -> list[CorpusAction]:
    found: list[CorpusAction] = [act for act, states in _ACTION_STATES.items() if run.state in states]
    if run.state in WORK and is_worked_on:
        found.remove("go_on")
    if run.is_open and may_move(run.state, "cancelled", "operator"):  # type: ignore[arg-type]  # a row's text
        found.append("cancel")
    return [act for act in get_args(CorpusAction) if act in found]


def _section_counts(statuses: Counter[PageStatus]) -> list[CorpusSection]:
    by_section: dict[str, Counter[PageStatus]] = {}
    for status, number in statuses.items():
        by_section.setdefault(status.section, Counter())[status] = number
    return [CorpusSection(section=name, **_counts_by_name(by_section[name])) for name in sorted(by_section)]


def page_counts(statuses: Counter[PageStatus]) -> CorpusCounts:
    """Count pages by state."""
    return CorpusCounts(**_counts_by_name(statuses))


def _counts_by_name(statuses: Counter[PageStatus]) -> dict[str, int]:
    found: Counter[str] = Counter(dict.fromkeys(CorpusCounts.model_fields, 0))
    for one, number in statuses.items():
        for name in ("pages", one.decision or "undecided", *_count_names(one)):
            found[name] += number
    return dict(found)


def _count_names(one: PageStatus) -> list[str]:
    """Return the further counts that a page belongs to."""
    names = ["added"] if one.found_by == "person" else []
    if one.decision != "include":
        return names
    gates = {PUBLISHABLE: "publishable", NEEDS_REVIEW: "held", EXCLUDED: "refused"}
    names += [one.got] if one.got in {"failed", "gone"} else []
    names += [gates[one.gate]] if one.gate in gates else []
    names += [one.review] if one.review is not None else []
    return names + (["waiting"] if one.gate in {PUBLISHABLE, NEEDS_REVIEW} and one.review is None else [])


def domain_history(conn: Connection, served: AppState, domain: str) -> CorpusHistory:
    """Return runs and versions of a domain. Raises ApiError 404 where it never had any."""
    begun = run_states.list_runs(conn, domain=domain, limit=_MAX_SHOWN)
    made = list_versions(conn, served, domain, limit=_MAX_SHOWN)
    if not begun and not made:
        raise ApiError(404, "unknown_corpus", f"Corpus {domain} not found.")
    at = lease_clock(conn, served.now())
    return CorpusHistory(domain=domain, runs=[run_row(one, at) for one in begun], versions=made)
