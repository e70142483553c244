"""``scrapy changes``: describe what is not described yet, and print the list in the form that was asked for."""

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from difflib import get_close_matches
from itertools import chain
from typing import Any, TextIO

from sqlalchemy import Connection

from rori_spiders.comparison.change_description import KINDS
from rori_spiders.comparison.change_log import describe_new_versions
from rori_spiders.comparison.change_report import (
    change_document,
    group_changes,
    imported_change_document,
    render_atom,
    render_markdown,
)
from rori_spiders.comparison.change_weight import weight_rules
from rori_spiders.comparison.importance import Importance, importance_rules
from rori_spiders.comparison.imported_change_log import describe_imported_changes
from rori_spiders.comparison.version_diff import TextArchive
from rori_spiders.exceptions import UnknownName, UsageError
from rori_spiders.ledger.database import Ledger
from rori_spiders.ledger.operations.accounts import list_users
from rori_spiders.ledger.pages.agency_owners import list_owners, set_owner
from rori_spiders.ledger.pages.change_assignments import assign_changes, comment_changes
from rori_spiders.ledger.pages.change_readings import mark_changes
from rori_spiders.ledger.pages.change_records import (
    ChangeFilter,
    ChangeRow,
    list_by_importance,
    list_changes,
    record_initial_captures,
    review_changes,
)
from rori_spiders.ledger.pages.imported_changes import (
    count_imported_changes,
    count_undescribed_pairs,
    list_imported_changes,
)
from rori_spiders.ledger.pages.subscriptions import personal_changes
from rori_spiders.ledger.pages.vocabulary import format_version_id
from rori_spiders.manifest.catalog import Catalog
from rori_spiders.runtime.plurals import format_count
from rori_spiders.runtime.redacted_output import name_program
from rori_spiders.staging.store import Store
from rori_spiders.terminal.listing import Column, write_listing

#: SQLite takes 32,766 values in a statement, two of each change.
_RANKED_TOGETHER = 10_000
_COLOURS = (("high", "red"), ("medium", "yellow"), ("low", "dim"))
COLUMNS = (
    Column("importance", "importance", colours=_COLOURS),
    Column("captured_at", "captured (UTC)"),
    Column("change", "id"),
    Column("source", "source"),
    Column("title", "page", width=40),
    Column("sentence", "change", width=160),
    *map(Column, ("url", "kind", "rules", "reasons", "sections", "marks", "citations", "part")),
    *map(Column, ("words_added", "words_removed", "published", "effective", "effective_before")),
    *map(Column, ("from_version", "to_version", "content_hash", "run", "notes")),
    *map(Column, ("review", "review_reason", "reviewed_by", "reviewed_at")),
    *map(Column, ("assignee", "due_on", "overdue", "comments")),
)
IMPORTED_COLUMNS = (
    Column("importance", "importance", colours=_COLOURS),
    Column("previously_stated_at", "text before (UTC)"),
    Column("stated_at", "text of (UTC)"),
    Column("trust", "trust"),
    Column("source", "source"),
    Column("title", "page", width=40),
    Column("sentence", "change", width=160),
    *map(Column, ("url", "kind", "rules", "reasons", "sections", "marks", "citations", "part")),
    *map(Column, ("words_added", "words_removed", "published", "provenance", "trust_before")),
    *map(Column, ("content_hash", "content_hash_before", "imported_from", "imported_by", "imported_at")),
    *map(Column, ("import_id", "record", "change", "notes")),
)
_OWNER_COLUMNS = (Column("agency", "agency"), Column("sources", "sources"), Column("owner", "owner"))
_RULE_COLUMNS = (
    Column("id", "rule"), Column("importance", "importance", colours=_COLOURS), Column("points", "points"),
    Column("says", "a change of"),
)  # fmt: skip


def build_filter(opts: argparse.Namespace, now: datetime) -> ChangeFilter:
    """The filter of the command's options. UsageError for a kind that does not exist."""
    require_kinds(opts.kind)
    if opts.since and opts.until and opts.since >= opts.until:
        raise UsageError("--since is not before --until")
    importance = 0 if opts.initial or "initial" in opts.kind else int(Importance[opts.importance.upper()])
    return ChangeFilter(
        since=opts.since,
        until=opts.until,
        sources=opts.source,
        kinds=opts.kind,
        importance=importance,
        review=opts.review,
        assignee=opts.assignee,
        overdue_at=now if opts.overdue else None,
    )


def narrow_to_person(ledger: Ledger, wanted: ChangeFilter, person: str, catalog: Catalog) -> ChangeFilter:
    """The filter with `--mine`: what is assigned to *person*, or watched or owned by them and assigned to nobody."""
    with ledger.connect() as conn:
        return replace(wanted, mine=personal_changes(conn, person, catalog.agencies))


def print_owners(ledger: Ledger, catalog: Catalog, form: str) -> int:
    """List the agencies of the active manifest, and who owns each."""
    with ledger.connect() as conn:
        owners = list_owners(conn)
    rows = (
        {"agency": agency, "sources": len(ids), "owner": owners.get(agency)} for agency, ids in catalog.agencies.items()
    )
    write_listing(rows, _OWNER_COLUMNS, form)
    return 0


def own_agency(ledger: Ledger, catalog: Catalog, agency: str, owner: str | None, *, actor: str, now: datetime) -> int:
    """Record who owns an agency. UnknownName for an agency without sources, and for nobody's name."""
    [name] = {catalog.source(one).metadata.agency or "" for one in catalog.require_agency(agency)}
    if owner is not None:
        _require_person(ledger, owner, actor)
    ledger.write(lambda conn: set_owner(conn, name, owner, actor=actor, now=now))
    print(f"{name}: owned by {owner or 'nobody'}, by {actor}.")
    return 0


def require_kinds(kinds: Iterable[str]) -> None:
    """Raise UsageError for a kind of change that does not exist."""
    if unknown := [kind for kind in kinds if kind not in KINDS]:
        raise UsageError(f"no kind of change {unknown[0]!r}. Kinds: {', '.join(KINDS)}")


def describe_missing(
    ledger: Ledger, store: Store, catalog: Callable[[], Catalog], *, clock: Callable[[], datetime]
) -> None:
    """Describe the versions that the jobs left; a line on stderr says so where it takes a while."""
    waiting = ledger.write(lambda conn: record_initial_captures(conn, now=clock()))
    if waiting > _MANY:
        sys.stderr.write(f"Comparing {format_count(waiting, 'version')} that no job has compared yet ...\n")
    if waiting:
        describe_new_versions(TextArchive(ledger, store, catalog), clock=clock)


#: So many are compared in some seconds.
_MANY = 100


def print_changes(
    ledger: Ledger, wanted: ChangeFilter, form: str, *, is_ranked: bool, now: datetime, out: TextIO
) -> int:
    """Print the changes, the newest or (*is_ranked*) the most important first; 0, also when there are none."""
    with ledger.connect() as conn:
        found = _list_ranked(conn, wanted) if is_ranked and form != "md" else list_changes(conn, wanted)
        if form in {"json", "csv"}:
            write_listing((change_document(change, now) for change in found), COLUMNS, form, out)
            return 0
        if form == "table":
            code = _print_table(found, now, out)
            if imported := count_imported_changes(conn, replace(wanted, importance=max(wanted.importance, 1))):
                out.write(
                    name_program(
                        f"Not seen by this collector: {format_count(imported, 'change')} between imported texts, "
                        "`scrapy changes --imported`.\n"
                    )
                )
            return code
        rows = list(found)
    if form == "md":
        groups = group_changes(rows)
        if is_ranked:
            groups.sort(key=lambda group: (-group.changes[0].importance, -group.changes[0].points))
        out.writelines(f"{line}\n" for line in render_markdown(groups, _heading(wanted, now)))
    else:
        out.write(render_atom(rows, feed_id="tag:rori.dev,2026:changes", title=_heading(wanted, now), now=now).decode())
    return 0


def _list_ranked(conn: Connection, wanted: ChangeFilter) -> Iterator[ChangeRow]:
    """The changes in the order of the monitor's list."""
    after = None
    while found := list_by_importance(conn, wanted, after=after, limit=_RANKED_TOGETHER):
        yield from (change for _, change in found)
        after = found[-1][0]


def _print_table(found: Iterable[ChangeRow], now: datetime, out: TextIO) -> int:
    levels = dict.fromkeys((Importance.HIGH, Importance.MEDIUM, Importance.LOW, Importance.INITIAL), 0)

    def count() -> Iterator[dict[str, Any]]:
        for change in found:
            levels[Importance(change.importance)] += 1
            yield change_document(change, now)

    number = write_listing(count(), COLUMNS, "table", out)
    if not number:
        out.write(name_program("No changes. `scrapy audit` lists what was requested and when.\n"))
        return 0
    parts = ", ".join(f"{many} {level.word}" for level, many in levels.items() if many)
    out.write(
        name_program(f"{format_count(number, 'change')}: {parts}. `scrapy diff SOURCE URL` shows one word by word.\n")
    )
    return 0


def print_imported_changes(
    archive: TextArchive, wanted: ChangeFilter, form: str, *, clock: Callable[[], datetime], out: TextIO
) -> int:
    """Describe and print changes between imported texts; 0, also when there are none."""
    waiting = archive.ledger.read(count_undescribed_pairs)
    if waiting > _MANY:
        sys.stderr.write(f"Comparing {format_count(waiting, 'text')} imported since the last comparison ...\n")
    if waiting:
        describe_imported_changes(archive, clock=clock)
    with archive.ledger.connect() as conn:
        found = map(imported_change_document, list_imported_changes(conn, wanted))
        number = write_listing(found, IMPORTED_COLUMNS, form, out)
    if form == "table":
        out.write(
            name_program(
                f"{format_count(number, 'change')} between imported texts. Files and publishers state these texts; "
                "this collector saw none of them. `scrapy diff SOURCE URL --from imported:DATE --to imported:DATE` "
                "shows one.\n"
                if number
                else "No changes between imported texts. `scrapy import list` lists what was imported.\n"
            )
        )
    return 0


def _heading(wanted: ChangeFilter, now: datetime) -> str:
    since = f" since {wanted.since:%Y-%m-%d}" if wanted.since else ""
    return f"Changes{since} until {wanted.until or now:%Y-%m-%d}"


def act(ledger: Ledger, opts: argparse.Namespace, *, actor: str, now: datetime) -> int:
    """Record what the verb says of the changes of the command line: of all, or UnknownName for one that is none."""
    if opts.verb == "assign":
        _require_person(ledger, opts.to, actor)
    if opts.verb == "comment" and not opts.text.strip():
        raise UsageError("--text is empty")

    def record(conn: Connection) -> None:
        if unknown := _record(conn, opts, actor=actor, now=now):
            names = ", ".join(format_version_id(*one) for one in unknown)
            raise UnknownName(f"no such change: {names}. `scrapy changes` lists them with their ids")

    ledger.write(record)
    print(f"{_describe_act(opts)} {format_count(len(set(opts.changes)), 'change')}, by {actor}.")
    return 0


def _record(conn: Connection, opts: argparse.Namespace, *, actor: str, now: datetime) -> list[tuple[int, int]]:
    """Give the ids that belong to no change."""
    if opts.verb in {"read", "unread"}:
        return mark_changes(conn, opts.changes, read=opts.verb == "read", actor=actor, now=now)
    if opts.verb == "review":
        reason = (opts.reason or "").strip() or None
        return review_changes(conn, opts.changes, opts.decision, reason=reason, actor=actor, now=now)
    if opts.verb == "comment":
        return comment_changes(conn, opts.changes, opts.text.strip(), actor=actor, now=now)
    assignee, due_on = (opts.to, opts.due) if opts.verb == "assign" else (None, None)
    comment = (opts.comment or "").strip() or None
    return assign_changes(conn, opts.changes, assignee, due_on=due_on, comment=comment, actor=actor, now=now)


def _describe_act(opts: argparse.Namespace) -> str:
    if opts.verb in {"read", "unread"}:
        return f"Marked as {opts.verb}:"
    if opts.verb == "review":
        return f"Recorded {opts.decision} for"
    if opts.verb == "comment":
        return "Recorded the comment on"
    if opts.verb == "unassign":
        return "Assigned to nobody:"
    return f"Assigned to {opts.to}{f', due {opts.due}' if opts.due else ''}:"


def _require_person(ledger: Ledger, name: str, actor: str) -> None:
    """Raise UnknownName for somebody who is not a user: a typing error must not become a person."""
    with ledger.connect() as conn:
        known = {actor, *(user.name for user in list_users(conn))}
    if name not in known:
        near = get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]!r}?" if near else "`scrapy monitor users list` lists users"
        raise UnknownName(f"{name!r} is neither a user of the monitor nor you: {hint}")


def print_rules(form: str) -> int:
    """List the rules of importance in the order in which they are tried, and those of the order within one."""
    levels = ({"id": rule.rule_id, "importance": rule.level.word, "says": rule.says} for rule in importance_rules())
    points = ({"id": rule.rule_id, "points": rule.points, "says": rule.says} for rule in weight_rules())
    write_listing(chain(levels, points), _RULE_COLUMNS, form)
    return 0
