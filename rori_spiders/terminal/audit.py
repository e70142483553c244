"""Print what `scrapy audit` shows besides its rows: the text of a page at a time with its proof, figures by source
or month, one response as it was received.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from rori_spiders.exceptions import StagingError, UsageError
from rori_spiders.ledger.audit import audit_log
from rori_spiders.ledger.operations.collection_reports import CollectionFigures, collection_figures
from rori_spiders.ledger.pages import point_in_time
from rori_spiders.runtime.control_characters import escape_one_line
from rori_spiders.runtime.redaction import get_redactor
from rori_spiders.terminal.listing import Column, write_details, write_listing

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from sqlalchemy import Connection

    from rori_spiders.ledger.database import Ledger
    from rori_spiders.ledger.pages.point_in_time import Observation, VersionProof
    from rori_spiders.staging.store import Store


_PROOF_NAMES = (
    *("source", "url", "version", "content_hash", "held_from", "last_confirmed", "confirmed_by_run", "next_look"),
    *("next_look_saw", "replaced_at", "says", "envelope", "envelope_state", "text_object", "raw_object"),
    *("robots_object", "run", "audit_row", "audit_row_hash", "confirming_row", "confirming_row_hash", "chain"),
)


def print_held_text_facts(
    ledger: Ledger, url: str, at: datetime, form: str, *, source_id: str | None, verify_chain: bool
) -> int:
    """Print the version of *url* collected by *at* with its proof; 1 if there is none."""
    with ledger.connect() as conn:
        found = point_in_time.find_proofs(conn, url, at, source_id)
        rows = [_proof_facts(conn, one, at, verify_chain=verify_chain) for one in found]
        nothing = "" if found else _describe_nothing_held(conn, url, at, source_id)
    if form != "table":
        write_listing(rows, tuple(map(Column, _PROOF_NAMES)), form)
    elif found:
        print(f"As of {_format_time(at)}:")
        for row in rows:
            print()
            write_details((name.replace("_", " "), value) for name, value in row.items() if value is not None)
    if nothing:
        (sys.stdout if form == "table" else sys.stderr).write(f"{nothing}\n")
    return 0 if found else 1


def print_held_text(ledger: Ledger, store: Store, url: str, at: datetime, *, source_id: str | None) -> int:
    """Print exactly the text collected by *at*, after checking its hash; 1 if there is none."""
    with ledger.connect() as conn:
        found = point_in_time.find_proofs(conn, url, at, source_id)
        nothing = "" if found else _describe_nothing_held(conn, url, at, source_id)
    if nothing:
        sys.stderr.write(f"{nothing}\n")
        return 1
    if len(found) > 1:
        ids = ", ".join(one.held.source_id for one in found)
        raise UsageError(f"several sources collected this URL ({ids}): choose one with --source")
    version = found[0].held.version
    try:
        data = store.get_object(version.body_object)  # checks the hash
    except FileNotFoundError:
        raise StagingError(
            f"{store.location}: the text (object {version.body_object}) is missing. Objects are never pruned: restore "
            "it from a backup, or set RORI_STAGING to the right staging area."
        ) from None
    if version.body_object != version.content_hash:
        raise StagingError(f"The object {version.body_object} does not have the content hash {version.content_hash}.")
    _write_stored_bytes(data)
    return 0


def _proof_facts(conn: Connection, one: VersionProof, at: datetime, *, verify_chain: bool) -> dict[str, Any]:
    version = one.held.version
    captured, confirmed, after = one.captured, one.confirmed, one.after
    return {
        "source": one.held.source_id,
        "url": one.held.url,
        "version": version.seq,
        "content_hash": f"sha256:{version.content_hash}",
        "held_from": version.captured_at,
        "last_confirmed": one.held.confirmed_at,
        "confirmed_by_run": confirmed.run_id if confirmed else version.run_id,
        "next_look": after.at if after else None,
        "next_look_saw": _describe_look(after) if after else None,
        "replaced_at": one.replaced_at,
        "says": _describe_proof(one, at),
        "envelope": one.envelope,
        "envelope_state": one.envelope_state,
        "text_object": version.body_object,
        "raw_object": version.raw_object,
        "robots_object": captured.robots_object if captured else None,
        "run": version.run_id,
        "audit_row": captured.seq if captured else None,
        "audit_row_hash": captured.row_hash if captured else None,
        "confirming_row": confirmed.seq if confirmed else None,
        "confirming_row_hash": confirmed.row_hash if confirmed else None,
        "chain": _verify_chain(conn, {version.run_id, *([confirmed.run_id] if confirmed else [])})
        if verify_chain
        else None,
    }


def _verify_chain(conn: Connection, run_ids: set[str]) -> str:
    wrong = [sentence for run_id in sorted(run_ids) for sentence in audit_log.verify_chain(conn, run_id)]
    return "; ".join(wrong) or f"the audit rows of {' and '.join(sorted(run_ids))} are unchanged"


def _describe_proof(one: VersionProof, at: datetime) -> str:
    """Describe what the checks before and after the instant prove, and what they leave open."""
    lines = (
        f"held from {_format_time(one.held.version.captured_at)}, last confirmed {_format_time(one.held.confirmed_at)}"
    )
    if one.before is not None and one.before.at > one.held.confirmed_at:
        lines += f"; the check at {_format_time(one.before.at)} did not see the text ({_describe_look(one.before)})"
    if one.after is None:
        return f"{lines}; not checked since {_format_time(at)}: the text may have changed before then"
    if one.after.content_hash == one.held.version.content_hash:
        return f"{lines}; the next check, {_format_time(one.after.at)}, saw the same text"
    lines += f"; next check {_format_time(one.after.at)} ({_describe_look(one.after)})"
    return f"{lines}: the text between the two checks is unknown"


def _describe_look(look: Observation) -> str:
    status = f", HTTP {look.http_status}" if look.http_status else ""
    return escape_one_line(f"{look.state}{status}{f': {look.reason}' if look.reason else ''}")


def _describe_nothing_held(conn: Connection, url: str, at: datetime, source_id: str | None) -> str:
    """Describe why no version exists, from the nearest checks."""
    before, after = point_in_time.nearest_observations(conn, url, at, source_id)
    of_source = f" in {source_id}" if source_id else ""
    message = f"No version of {escape_one_line(url)}{of_source} as of {_format_time(at)}"
    if before is None:
        message += ": not checked before then"
    elif before.state == "gone":
        message += f": the page was gone at the last check, {_format_time(before.at)}"
    else:
        message += f": the last check, {_format_time(before.at)}, ended as {_describe_look(before)}"
    return f"{message}. " + (
        f"Next check: {_format_time(after.at)} ({_describe_look(after)})." if after else "No later check."
    )


def _format_time(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M:%S} UTC"


# ``scrapy audit --summary``: figures of the ledger as rows, by source, agency, month or page.

REPORT_GROUPS = ("source", "agency", "month", "page")
_FIGURE_NAMES = ("requests", "retries", "pages", "failed", "failure_rate", "median_ms", "p95_ms", "read", "changed")
_FIGURE_TITLES = {"failure_rate": "failed %", "median_ms": "median ms", "p95_ms": "p95 ms"}
FIGURE_COLUMNS = (
    *(Column(name, _FIGURE_TITLES.get(name, name), right=True) for name in _FIGURE_NAMES),
    Column("changes_per_check", "changed %", right=True),
    Column("days_between_changes", "days between", right=True),
    Column("spent", "spent"),
    Column("usd", "USD", right=True),
)


def print_figures(
    ledger: Ledger,
    by: str,
    form: str,
    agencies: Mapping[str, str | None],
    *,
    since: datetime | None,
    until: datetime | None,
    source_id: str | None,
) -> int:
    """Write the report; how many rows it has. *agencies*: source id -> agency, of the active manifest."""
    of = "source" if by == "agency" else by
    with ledger.connect() as conn:
        found = collection_figures(conn, of, since=since, until=until, source_id=source_id)
    if by == "agency":
        found = _merge_by_agency(found, agencies)
    rows = (_figures_row(by, name, found[name]) for name in sorted(found, key=lambda name: name or ""))
    return write_listing(rows, (Column(by, by), *FIGURE_COLUMNS), form)


def _merge_by_agency(
    found: dict[str | None, CollectionFigures], agencies: Mapping[str, str | None]
) -> dict[str | None, CollectionFigures]:
    merged: dict[str | None, CollectionFigures] = {}
    for source, one in found.items():
        merged.setdefault(agencies.get(source or "") or None, CollectionFigures()).add(one)
    return merged


def _figures_row(by: str, name: str | None, one: CollectionFigures) -> dict[str, Any]:
    return {
        by: name or "(not known)",
        **{each: getattr(one, each) for each in ("requests", "retries", "pages", "failed", "read", "changed")},
        "failure_rate": _percent_of(one.failed, one.pages),
        "median_ms": one.percentile(0.5),
        "p95_ms": one.percentile(0.95),
        "changes_per_check": _percent_of(one.changed, one.read),
        "days_between_changes": round(one.gap_days / one.gaps, 1) if one.gaps else None,
        "spent": ", ".join(f"{provider} {spent:g} {unit}" for (provider, unit), spent in sorted(one.spent.items())),
        "usd": None if one.usd is None else round(one.usd, 4),
    }


def _percent_of(part: int, whole: int) -> float | None:
    """A percentage; None if *whole* is 0."""
    return round(100 * part / whole, 1) if whole else None


# A stored response: status and headers to stderr, the body to stdout.

#: The most of a body that is printed to a terminal, characters.
_SHOWN_CHARS = 20_000


def print_response(row: Mapping[str, Any], store: Store) -> int:
    """Print the stored response of the audit *row*; exit code 1 if it has no body.

    A terminal gets the body as text without control characters, a file or pipe the original bytes.
    """
    _print_response_head(row)
    try:
        body = store.get_object(row["raw_hash"]) if row["raw_hash"] else None
    except FileNotFoundError:
        body = None
    if body is None:
        sys.stderr.write(f"No stored body: {_missing_body_reason(row)}.\n")
        return 1
    _write_stored_bytes(body)
    return 0


def _write_stored_bytes(data: bytes) -> None:
    """Write *data* as it is stored to a file or pipe; a terminal gets the text without control characters."""
    if not sys.stdout.isatty():
        sys.stdout.buffer.write(data)
        return
    text = get_redactor().text(data.decode("utf-8", "replace"))
    print(text[:_SHOWN_CHARS])
    if len(text) > _SHOWN_CHARS:
        sys.stderr.write(f"... and {len(text) - _SHOWN_CHARS} more characters: redirect the output to a file\n")


def _print_response_head(row: Mapping[str, Any]) -> None:
    why = row["error"] or row["reason"]  # the error also names truncation
    lines = [
        f"{row['url']}",
        f"{row['timestamp']}, by {row['engine']}: {row['state']}{': ' if why else ''}{why or ''}",
        f"HTTP {row['http_status'] or '-'}{' from ' if row['ip_address'] else ''}{row['ip_address'] or ''}",
    ]
    lines += [f"{name}: {value}" for name, values in (row["response_headers"] or {}).items() for value in values]
    sys.stderr.write("".join(f"{escape_one_line(line)}\n" for line in lines) + "\n")


def _missing_body_reason(row: Mapping[str, Any]) -> str:
    if row["raw_hash"] is None:
        return "the server sent no body, or did not answer"
    return "the text was unchanged, so the bytes were not stored again, or they were pruned"
