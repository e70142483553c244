"""``scrapy audit --as-of``: what was held of a URL at an instant, in sentences, or as JSON or CSV; or its text."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from rori_spiders.exceptions import StagingError, UsageError
from rori_spiders.ledger import asof, audit
from rori_spiders.terminal.listing import Column, harmless, write_details, write_listing

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection

    from rori_spiders.ledger.asof import Look, Proof
    from rori_spiders.ledger.database import Ledger
    from rori_spiders.stores.base import Store

_NAMES = (
    *("source", "url", "version", "content_hash", "held_from", "last_confirmed", "confirmed_by_run", "next_look"),
    *("next_look_saw", "replaced_at", "says", "envelope", "envelope_state", "text_object", "raw_object"),
    *("robots_object", "run", "audit_row", "audit_row_hash", "confirming_row", "confirming_row_hash", "chain"),
)


def held(ledger: Ledger, url: str, at: datetime, form: str, *, source_id: str | None, verify_chain: bool) -> int:
    """Say what was held of *url* at *at*; 1 when nothing was."""
    with ledger.connect() as conn:
        found = asof.proofs(conn, url, at, source_id)
        rows = [_facts(conn, one, at, verify_chain=verify_chain) for one in found]
        nothing = "" if found else _nothing(conn, url, at, source_id)
    if form != "table":
        write_listing(rows, tuple(map(Column, _NAMES)), form)
    elif found:
        print(f"As of {_time(at)}:")
        for row in rows:
            print()
            write_details((name.replace("_", " "), value) for name, value in row.items() if value is not None)
    if nothing:
        (sys.stdout if form == "table" else sys.stderr).write(f"{nothing}\n")
    return 0 if found else 1


def text(ledger: Ledger, store: Store, url: str, at: datetime, *, source_id: str | None) -> int:
    """Print exactly the text that was held, its hash checked; 1 when none was."""
    with ledger.connect() as conn:
        found = asof.proofs(conn, url, at, source_id)
        nothing = "" if found else _nothing(conn, url, at, source_id)
    if nothing:
        sys.stderr.write(f"{nothing}\n")
        return 1
    if len(found) > 1:
        ids = ", ".join(one.held.source_id for one in found)
        raise UsageError(f"several sources held it ({ids}): name one with --source")
    version = found[0].held.version
    try:
        data = store.get_object(version.body_object)  # which checks its hash
    except FileNotFoundError:
        raise StagingError(
            f"{store.location}: the text, object {version.body_object}, is not there. Objects are never pruned: "
            "restore it from a backup, or name the right staging area with RORI_STAGING."
        ) from None
    if version.body_object != version.content_hash:
        raise StagingError(f"The object {version.body_object} is not the text of hash {version.content_hash}.")
    sys.stdout.write(data.decode())
    return 0


def _facts(conn: Connection, one: Proof, at: datetime, *, verify_chain: bool) -> dict[str, Any]:
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
        "next_look_saw": _saw(after) if after else None,
        "replaced_at": one.replaced_at,
        "says": _says(one, at),
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
        "chain": _chain(conn, {version.run_id, *([confirmed.run_id] if confirmed else [])}) if verify_chain else None,
    }


def _chain(conn: Connection, run_ids: set[str]) -> str:
    wrong = [sentence for run_id in sorted(run_ids) for sentence in audit.verify_chain(conn, run_id)]
    return "; ".join(wrong) or f"the audit rows of {' and '.join(sorted(run_ids))} are as they were written"


def _says(one: Proof, at: datetime) -> str:
    """What the looks around the instant prove, and what they leave open."""
    told = f"held from {_time(one.held.version.captured_at)}, last confirmed {_time(one.held.confirmed_at)}"
    if one.before is not None and one.before.at > one.held.confirmed_at:
        told += f"; the look at {_time(one.before.at)} saw nothing of the text ({_saw(one.before)})"
    if one.after is None:
        return f"{told}; nobody has looked since {_time(at)}: whether the publisher showed it until then is not known"
    if one.after.content_hash == one.held.version.content_hash:
        return f"{told}; the next look, {_time(one.after.at)}, saw the same text"
    told += f"; next look {_time(one.after.at)} ({_saw(one.after)})"
    return f"{told}: what the publisher showed in between is not known"


def _saw(look: Look) -> str:
    status = f", HTTP {look.http_status}" if look.http_status else ""
    return harmless(f"{look.state}{status}{f': {look.reason}' if look.reason else ''}")


def _nothing(conn: Connection, url: str, at: datetime, source_id: str | None) -> str:
    """Why nothing was held, as far as the looks tell."""
    before, after = asof.last_looks(conn, url, at, source_id)
    whose = f" by {source_id}" if source_id else ""
    told = f"Nothing was held of {harmless(url)}{whose} as of {_time(at)}"
    if before is None:
        told += ": by then nobody had looked at it"
    elif before.state == "gone":
        told += f": the page was gone, as seen last at {_time(before.at)}"
    else:
        told += f": the last look, {_time(before.at)}, ended as {_saw(before)}"
    return f"{told}. " + (
        f"The next look was at {_time(after.at)} ({_saw(after)})." if after else "None came after it."
    )


def _time(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M:%S} UTC"
