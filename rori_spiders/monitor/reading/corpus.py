"""Corpora as the API gives them: domains, runs with what they wait for, how many pages stand how, versions."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, get_args

from rori_spiders.corpus.reviewing.approving import EXCLUDED, NEEDS_REVIEW, PUBLISHABLE, open_questions
from rori_spiders.corpus.reviewing.deciding import DECIDED_IN
from rori_spiders.corpus.states import WAITING, WORK, may_move
from rori_spiders.ledger.corpus import page_lists, pages, runs, versions
from rori_spiders.ledger.dialects import clock
from rori_spiders.monitor.answers.corpus import (
    Act,
    CorpusCounts,
    CorpusDomain,
    CorpusDomains,
    CorpusHistory,
    CorpusRun,
    CorpusRunDetail,
    CorpusSection,
)
from rori_spiders.monitor.errors import Refused
from rori_spiders.monitor.reading import corpus_versions

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from sqlalchemy import Connection

    from rori_spiders.ledger.corpus.page_lists import Standing
    from rori_spiders.ledger.corpus.runs import CorpusRun as Run
    from rori_spiders.monitor.answers.corpus import CorpusProcess
    from rori_spiders.monitor.served import Served

_MOST, _SHOWN = 1_000, 100
#: States in which an act is taken.
_WHEN: Mapping[Act, tuple[str, ...]] = {
    "decide": DECIDED_IN,
    "review": ("ready_for_review",),
    "approve": ("ready_for_review",),
    "publish": ("approved",),
    "withdraw": ("approved",),
    "resume": ("failed",),
    "go_on": WORK,
}


def find(conn: Connection, run_id: str) -> Run:
    """The run. Refused where there is none."""
    found = runs.find(conn, run_id)
    if found is None:
        raise Refused(404, "unknown_corpus_run", f"There is no run {run_id} of a corpus.")
    return found


def domains(conn: Connection, served: Served) -> CorpusDomains:
    """All that have or had a corpus, by their names; then what could have one."""
    newest: dict[str, Run] = {}
    for one in runs.listed(conn, limit=_MOST):
        if one.is_open or one.domain not in newest:
            newest[one.domain] = one
    names = {row.domain for row in versions.listed(conn, limit=_MOST)}
    published = {name: corpus_versions.latest(conn, served, name) for name in names}
    counted = page_lists.standings(conn, [one.run_id for one in newest.values()])
    items = [
        CorpusDomain(
            domain=name,
            run=run and run_of(run, clock(conn, served.now())),
            counts=run and counts(counted[run.run_id]),
            latest=published.get(name),
        )
        for name in sorted({*newest, *published})
        for run in [newest.get(name)]
    ]
    known = {source.domain for source in served.catalog(conn).sources}
    return CorpusDomains(items=items, others=sorted(known - {*newest, *published}))


def run_of(run: Run, now: datetime) -> CorpusRun:
    """A run; *now* is the ledger's time."""
    return CorpusRun.model_validate(_facts(run, now))


def detail(
    conn: Connection, run: Run, now: datetime, process: CorpusProcess | None, *, starts: bool
) -> CorpusRunDetail:
    """A run, with its sections and what it waits for."""
    standings = page_lists.standings(conn, [run.run_id])[run.run_id]
    facts = _facts(run, clock(conn, now))
    is_asked = run.state == "ready_for_review"
    return CorpusRunDetail(
        **facts,
        counts=counts(standings),
        sections=_sections(standings),
        questions=open_questions(pages.listed(conn, run.run_id)) if is_asked else [],
        may=_may(run, is_worked_on=facts["worker"] is not None),
        process=process,
        starts=starts,
    )


def _facts(run: Run, now: datetime) -> dict[str, Any]:
    is_worked_on = run.worker_until is not None and run.worker_until > now
    turn = "person" if run.state in WAITING else "machine" if run.state in WORK else "over"
    told = {name: getattr(run, name) for name in CorpusRun.model_fields if name in type(run).__slots__}
    sources = list(run.target.get("sources", ()))
    more = {"turn": turn, "sources": sources, "url": run.target.get("url")}
    return {**told, **more, "worker": run.worker if is_worked_on else None}


def _may(run: Run, *, is_worked_on: bool) -> list[Act]:
    found: list[Act] = [act for act, states in _WHEN.items() if run.state in states]
    if run.state in WORK and is_worked_on:
        found.remove("go_on")
    if run.is_open and may_move(run.state, "cancelled", "operator"):  # type: ignore[arg-type]  # a row's text
        found.append("cancel")
    return [act for act in get_args(Act) if act in found]


def _sections(standings: Counter[Standing]) -> list[CorpusSection]:
    by_section: dict[str, Counter[Standing]] = {}
    for standing, number in standings.items():
        by_section.setdefault(standing.section, Counter())[standing] = number
    return [CorpusSection(section=name, **_counted(by_section[name])) for name in sorted(by_section)]


def counts(standings: Counter[Standing]) -> CorpusCounts:
    """How many of the pages stand how."""
    return CorpusCounts(**_counted(standings))


def _counted(standings: Counter[Standing]) -> dict[str, int]:
    found: Counter[str] = Counter(dict.fromkeys(CorpusCounts.model_fields, 0))
    for one, number in standings.items():
        for name in ("pages", one.decision or "undecided", *_told(one)):
            found[name] += number
    return dict(found)


def _told(one: Standing) -> list[str]:
    """What else it counts among."""
    told = ["added"] if one.found_by == "person" else []
    if one.decision != "include":
        return told
    gates = {PUBLISHABLE: "publishable", NEEDS_REVIEW: "held", EXCLUDED: "refused"}
    told += [one.got] if one.got in {"failed", "gone"} else []
    told += [gates[one.gate]] if one.gate in gates else []
    told += [one.review] if one.review is not None else []
    return told + (["waiting"] if one.gate in {PUBLISHABLE, NEEDS_REVIEW} and one.review is None else [])


def history(conn: Connection, served: Served, domain: str) -> CorpusHistory:
    """Runs and versions of a domain. Refused where there never was one."""
    begun = runs.listed(conn, domain=domain, limit=_SHOWN)
    made = corpus_versions.listed(conn, served, domain, limit=_SHOWN)
    if not begun and not made:
        raise Refused(404, "unknown_corpus", f"There is no corpus of {domain}.")
    at = clock(conn, served.now())
    return CorpusHistory(domain=domain, runs=[run_of(one, at) for one in begun], versions=made)
