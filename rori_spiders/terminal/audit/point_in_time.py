"""``scrapy as-of``: which text was held at an instant, by four clocks that are kept apart, and what proves it.

published, effective   what the publisher says of the text, in its own words
captured               when we received it; last seen, when we last received the same text up to the instant
known                  when the ledger recorded it, since when it could be answered with
"""

from __future__ import annotations

import sys
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from rori_spiders.exceptions import StagingError, UsageError
from rori_spiders.ledger.pages import point_in_time
from rori_spiders.ledger.pages.point_in_time import AbsentPage, VersionProof
from rori_spiders.runtime.control_characters import escape_one_line
from rori_spiders.runtime.plurals import format_count
from rori_spiders.terminal.audit.responses import write_stored_bytes
from rori_spiders.terminal.listing import Column, format_for_people, write_details, write_listing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rori_spiders.ledger.database import Ledger
    from rori_spiders.ledger.pages.point_in_time import Observation
    from rori_spiders.staging.store import Store

_STATE_COLOURS = (("held", "green"), ("removed", "red"), ("moved", "yellow"), ("not_captured", "yellow"))
#: The table of many pages shows titled columns; JSON and CSV have all.
COLUMNS = (
    *(Column("source", "source"), Column("url", "url"), Column("title"), Column("as_of")),
    Column("state", "state", colours=_STATE_COLOURS),
    *(Column("published", "published"), Column("effective", "effective"), Column("effective_until", "until")),
    *(Column("captured", "captured (UTC)"), Column("last_seen", "last seen (UTC)")),
    Column("known", "known (UTC)"),
    *map(Column, ("next_look", "next_look_saw", "replaced", "says", "version", "content_hash", "text_object")),
    *map(Column, ("raw_object", "robots_object", "envelope", "envelope_state", "run", "last_seen_run")),
    *map(Column, ("audit_row", "last_seen_row", "version_leaf", "envelope_leaf", "last_seen_leaf")),
)
#: How the lines about one page are named.
_NAMES = {
    "as_of": "as of",
    "published": "published (publisher)",
    "effective": "effective (publisher)",
    "effective_until": "effective until (publisher)",
    "captured": "captured",
    "last_seen": "last seen",
    "known": "known",
}
_CLOCKS = ("published", "effective", "effective_until", "captured", "last_seen", "known")


def describe_instant(at: datetime, *, is_day: bool, is_now: bool) -> str:
    """The instant that is answered for, and why it is that one."""
    why = "now: the day is not over" if is_now else "the end of the day in UTC" if is_day else ""
    return f"As of {_format_time(at)}{f' ({why})' if why else ''}"


def print_page(ledger: Ledger, url: str, at: datetime, form: str, heading: str, *, source_id: str | None) -> int:
    """Print what was held of *url* at *at* with its proof, one answer a source; 1 if no text was."""
    rows = _load_page(ledger, url, at, source_id)
    if form != "table":
        write_listing(rows, COLUMNS, form)
        return 0 if any(row["state"] == "held" for row in rows) else 1
    print(f"{heading}:")
    for row in rows:
        print()
        write_details((_NAMES.get(name, name.replace("_", " ")), value) for name, value in _shown(row))
    if not rows:
        print(f"No source has {escape_one_line(url)}. `scrapy audit --url URL` lists requests for it.")
    return 0 if any(row["state"] == "held" for row in rows) else 1


def print_pages(ledger: Ledger, at: datetime, form: str, heading: str, *, source_id: str | None) -> int:
    """List every page that was ever captured as it stood at *at*; 1 if no text of any was held."""
    states: Counter[str] = Counter()
    if form == "table":
        print(f"{heading}:\n")
    with ledger.connect() as conn:
        rows = (_describe(one, at) for one in point_in_time.list_pages(conn, at, source_id))
        write_listing(_count_states(rows, states), COLUMNS, form)
    if form == "table":
        print(
            f"{states['held']} of {format_count(states.total(), 'page')} had a text then. "
            "--page URL shows one with its proof."
        )
    return 0 if states["held"] else 1


def _count_states(rows: Iterable[dict[str, Any]], states: Counter[str]) -> Iterator[dict[str, Any]]:
    for row in rows:
        states[row["state"]] += 1
        yield row


def print_text(ledger: Ledger, store: Store, url: str, at: datetime, heading: str, *, source_id: str | None) -> int:
    """Print exactly the text held at *at* to stdout, after checking its hash, and the clocks to stderr; 1 for none."""
    with ledger.connect() as conn:
        found = point_in_time.find_proofs(conn, url, at, source_id)
    rows = _load_page(ledger, url, at, source_id)
    if not found:
        for row in rows or [{"says": f"No source has {escape_one_line(url)}."}]:
            sys.stderr.write(f"{heading}: {row['says']}\n")
        return 1
    if len(found) > 1:
        ids = ", ".join(one.held.source_id for one in found)
        raise UsageError(f"several sources collected this URL ({ids}): choose one with --source")
    version, row = found[0].held.version, next(one for one in rows if one["state"] == "held")
    try:
        data = store.get_object(version.body_object)  # checks the hash
    except FileNotFoundError:
        raise StagingError(
            f"{store.location}: the text (object {version.body_object}) is missing. Objects are never pruned: restore "
            "it from a backup, or set RORI_STAGING to the right staging area."
        ) from None
    if version.body_object != version.content_hash:
        raise StagingError(f"The object {version.body_object} does not have the content hash {version.content_hash}.")
    sys.stderr.write(f"{heading}: {row['says']}\n")
    for name in _CLOCKS:
        zone = " UTC" if isinstance(row[name], datetime) else ""
        sys.stderr.write(f"{_NAMES[name]}: {format_for_people(row[name]) or '-'}{zone}\n")
    write_stored_bytes(data)
    return 0


def _load_page(ledger: Ledger, url: str, at: datetime, source_id: str | None) -> list[dict[str, Any]]:
    with ledger.connect() as conn:
        found = point_in_time.find_proofs(conn, url, at, source_id)
        absent = point_in_time.find_absent(conn, url, at, found, source_id)
    every: list[VersionProof | AbsentPage] = [*found, *absent]
    return [_describe(one, at) for one in every]


def _shown(row: dict[str, Any]) -> list[tuple[str, Any]]:
    """The lines about one page: the clocks of a text also where they have no time."""
    is_held = row["state"] == "held"
    return [(name, value) for name, value in row.items() if value is not None or (is_held and name in _CLOCKS)]


def _describe(one: VersionProof | AbsentPage, at: datetime) -> dict[str, Any]:
    return _describe_held(one, at) if isinstance(one, VersionProof) else _describe_absent(one, at)


def _describe_held(one: VersionProof, at: datetime) -> dict[str, Any]:
    version, captured, confirmed = one.held.version, one.captured, one.confirmed
    return {
        "source": one.held.source_id,
        "url": one.held.url,
        "title": version.title,
        "as_of": at,
        "state": "held",
        "says": _explain_held(one, at),
        "published": version.published,
        "effective": version.effective,
        "effective_until": one.effective_until,
        "captured": version.captured_at,
        "last_seen": one.held.confirmed_at,
        "known": one.known_at,
        "next_look": one.after.at if one.after else None,
        "next_look_saw": _describe_look(one.after) if one.after else None,
        "replaced": one.replaced_at,
        "version": version.seq,
        "content_hash": f"sha256:{version.content_hash}",
        "text_object": version.body_object,
        "raw_object": version.raw_object,
        "robots_object": captured.robots_object if captured else None,
        "envelope": one.envelope,
        "envelope_state": one.envelope_state,
        "run": version.run_id,
        "audit_row": captured.seq if captured else None,
        "last_seen_run": confirmed.run_id if confirmed else None,
        "last_seen_row": confirmed.seq if confirmed else None,
        "version_leaf": one.leaves.version,
        "envelope_leaf": one.leaves.envelope,
        "last_seen_leaf": one.leaves.last_look,
    }


def _explain_held(one: VersionProof, at: datetime) -> str:
    """What the looks before and after the instant prove, and what they leave open."""
    version, seen, after = one.held.version, one.held.confirmed_at, one.after
    sentences = [f"captured {_format_time(version.captured_at)}"]
    between = "not looked at in between"
    if one.before is not None and one.before.at > seen:
        between = f"the look at {_format_time(one.before.at)} did not see it ({_describe_look(one.before)})"
    if after is None:
        sentences.append(f"last seen {_format_time(seen)}")
        if one.before is not None and one.before.at > seen:
            sentences.append(between)
        sentences.append(f"not looked at after {_format_time(at)}, so it may have changed since it was last seen")
    elif after.content_hash == version.content_hash:
        sentences.append(f"seen unchanged {_format_time(seen)} and {_format_time(after.at)}, {between}")
    else:
        saw = "another text" if after.content_hash is not None else f"no text ({_describe_look(after)})"
        sentences.append(f"last seen {_format_time(seen)}, then {saw} {_format_time(after.at)}, {between}")
        sentences.append("when it changed in these times, if it did, is unknown")
    if one.replaced_at is not None and (after is None or one.replaced_at > after.at):
        what = "its removal" if one.is_removal_next else "another text"
        sentences.append(f"{what} was captured {_format_time(one.replaced_at)}")
    if one.known_at is not None and one.known_at > at:
        sentences.append(f"recorded only {_format_time(one.known_at)}: nobody could answer with it before")
    if one.envelope_state in {"pruning", "pruned"}:
        sentences.append("its envelope was pruned, its text and bytes are kept as objects")
    if one.leaves.version is None:
        sentences.append("the log of facts has no leaf of it as it is now: run `scrapy verify`")
    return _join(sentences)


def _describe_absent(one: AbsentPage, at: datetime) -> dict[str, Any]:
    before, after = one.before, one.after
    return {
        "source": one.source_id,
        "url": one.url,
        "as_of": at,
        "state": one.state,
        "says": _explain_absent(one),
        "next_look": after.at if after else None,
        "next_look_saw": _describe_look(after) if after else None,
        "last_seen_run": before.run_id if before else None,
        "last_seen_row": before.seq if before else None,
    }


def _explain_absent(one: AbsentPage) -> str:
    before, after = one.before, one.after
    if one.state == "removed" and one.since is not None:
        sentences = [f"No text: the publisher had removed the page, captured {_format_time(one.since)}"]
    elif one.state == "moved":
        sentences = ["No text at this URL: it led to another page by then"]
    else:
        sentences = ["No text: not captured by then"]
    if before is None:
        sentences.append("not looked at before")
    elif one.state != "removed" or before.at != one.since:
        sentences.append(f"the last look, {_format_time(before.at)}, ended as {_describe_look(before)}")
    if one.first_captured_at is not None:
        sentences.append(f"first captured {_format_time(one.first_captured_at)}")
    elif after is not None:
        sentences.append(f"the next look, {_format_time(after.at)}, ended as {_describe_look(after)}")
    else:
        sentences.append("not looked at since")
    return _join(sentences)


def _join(parts: Sequence[str]) -> str:
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}."


def _describe_look(look: Observation) -> str:
    status = f", HTTP {look.http_status}" if look.http_status else ""
    return escape_one_line(f"{look.state}{status}{f': {look.reason}' if look.reason else ''}")


def _format_time(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def end_of(begin: datetime, after: datetime) -> datetime:
    """The last instant of the day or time that is from *begin* to *after*."""
    return begin if begin == after else after - timedelta(microseconds=1)
