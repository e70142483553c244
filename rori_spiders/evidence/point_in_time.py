"""What was held of a page at an instant, by four clocks that are kept apart, and what proves it: rows with a sentence
each, for `scrapy as-of` and for the monitor.

published, effective   what the publisher says of the text, in its own words
captured               when we received it; last seen, when we last received the same text up to the instant
known                  when the ledger recorded it, since when it could be answered with
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Connection

from rori_spiders.ledger.pages import imported_captures, point_in_time
from rori_spiders.ledger.pages.imported_captures import ImportedCapture, ImportedFile
from rori_spiders.ledger.pages.point_in_time import AbsentPage, Observation, VersionProof
from rori_spiders.runtime.control_characters import escape_one_line
from rori_spiders.runtime.redacted_output import name_rori


def describe_instant(at: datetime, *, is_day: bool, is_now: bool) -> str:
    """The instant that is answered for, and why it is that one."""
    why = "now: the day is not over" if is_now else "the end of the day in UTC" if is_day else ""
    return f"As of {_format_time(at)}{f' ({why})' if why else ''}"


def describe_page(conn: Connection, url: str, at: datetime, source_id: str | None = None) -> list[dict[str, Any]]:
    """What was held of *url* (normalised) at *at*: a row a source, of the text or of why there is none."""
    found = point_in_time.find_proofs(conn, url, at, source_id)
    every: list[VersionProof | AbsentPage] = [*found, *point_in_time.find_absent(conn, url, at, found, source_id)]
    texts = imported_captures.newest_texts(conn, url, at, source_id)
    return [*(describe_state(one, at) for one in every), *(describe_import(*one, at) for one in texts)]


def describe_import(capture: ImportedCapture, file: ImportedFile, at: datetime) -> dict[str, Any]:
    """The row of a text that others captured: what their file says, and that it is not what we saw."""
    captured = capture.captured_at
    assert captured is not None
    known = f"; recorded only {_format_time(capture.recorded_at)}" if capture.recorded_at > at else ""
    return {
        "source": capture.source_id,
        "url": capture.url,
        "title": capture.title,
        "as_of": at,
        "state": imported_captures.IMPORTED,
        "says": f"Not seen by this collector: {_explain_import(capture, file, captured)}{known}.",
        "published": capture.published,
        **({"stated_for": captured} if capture.trust == "publisher" else {"captured": captured}),
        "known": capture.recorded_at,
        "content_hash": f"sha256:{capture.content_hash}",
        "text_object": capture.content_hash,
        "raw_object": capture.raw_hash,
        "provenance": imported_captures.IMPORTED,
        "trust": capture.trust,
        "imported_from": file.name,
        "file_sha256": file.sha256,
        "imported_by": file.imported_by,
        "import_record": f"{file.import_id} {capture.record}",
    }


def _explain_import(capture: ImportedCapture, file: ImportedFile, captured: datetime) -> str:
    name, person = escape_one_line(file.name), escape_one_line(file.imported_by)
    if capture.trust == "publisher":
        return (
            f"{name}, asked by {person} {_format_time(capture.recorded_at)}, stated that this was the text on "
            f"{captured.astimezone(UTC):%Y-%m-%d} (the publisher's word alone, given later)"
        )
    why = "a digest in the file matches" if capture.trust == "archived" else "nothing but the file proves this time"
    return f"{name}, imported by {person}, states that this text was captured {_format_time(captured)} ({why})"


def describe_state(one: VersionProof | AbsentPage, at: datetime) -> dict[str, Any]:
    """The row of one page."""
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
        "provenance": "collected",
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
        sentences.append(name_rori("the log of facts has no leaf of it as it is now: run `scrapy verify`"))
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
