"""Heads against the log of facts: those that the ledger keeps, and copies that were outside of it.

Who rewrites rows together with their leaves, or cuts both at the end, cannot rewrite a head that somebody else has.
"""

from base64 import b64encode
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import pairwise

from cryptography.x509 import Certificate
from sqlalchemy import Connection

from rori_spiders.evidence.checkpoints import Checkpoint, hash_checkpoint, parse_checkpoint
from rori_spiders.evidence.heads_files import DamagedCopy, HeadCopy
from rori_spiders.evidence.keys import KeyRing
from rori_spiders.evidence.signed_notes import NoteError, VerifierKey, parse_note
from rori_spiders.evidence.timestamps import Timestamp, read_timestamp
from rori_spiders.ledger.audit import fact_log, head_log
from rori_spiders.ledger.audit.head_log import StoredHead
from rori_spiders.ledger.audit.merkle_tree import HASH_BYTES, TreeFrontier, split_hashes
from rori_spiders.ledger.database import Ledger
from rori_spiders.runtime.plurals import format_count
from rori_spiders.staging.verification.finding import Finding

_LEDGER = "ledger"
#: What clocks may differ by; and how late an authority that did not answer may confirm a head.
_CLOCKS = timedelta(minutes=5)
_LATEST = timedelta(days=30)


def check_heads(
    ledger: Ledger,
    copies: Sequence[HeadCopy | DamagedCopy],
    keys: KeyRing,
    counts: Counter[str],
    *,
    witnesses: Sequence[VerifierKey] = (),
    roots: Sequence[Certificate] = (),
) -> Iterator[Finding]:
    """The ledger's heads and *copies*: signatures by *keys*, roots against the log, order, and timestamps.

    The log is read once, where there is a head at all. Without keys and copies no signature is judged.
    """
    with ledger.connect() as conn:
        stored: list[HeadCopy] = []
        for row in head_log.list_heads(conn):
            try:
                note = parse_note(row.full_note)
                stored.append(HeadCopy(_LEDGER, note, parse_checkpoint(note.text)))
            except NoteError as error:
                yield Finding("head_damaged", f"head of {row.size} leaves", str(error))
                continue
            if wrong := _row_differences(row, stored[-1].head):
                sentence = f"its row differs from its text: {', '.join(wrong)}"
                yield Finding("head_damaged", f"head of {row.size} leaves", sentence)
        intact = [one for one in copies if isinstance(one, HeadCopy)]
        heads = sorted([*stored, *intact], key=lambda one: one.head.size)
        if heads:
            counts["heads"] += len(heads)
            yield from _check_roots(conn, heads)
        yield from _check_destinations(conn, stored)
    for one in copies:
        if isinstance(one, DamagedCopy):
            yield Finding("head_damaged", f"{one.where}, line {one.line}", one.problem)
    if keys.verifiers or copies:
        yield from _check_signatures(heads, keys, witnesses)
    yield from _check_order(stored, intact)
    yield from _check_timestamps(heads, roots, counts)


def _row_differences(row: StoredHead, head: Checkpoint) -> list[str]:
    """What the row says otherwise than the note in it, which is signed."""
    try:
        root = TreeFrontier(row.size, split_hashes(row.frontier)).root()
    except ValueError:
        root = b""
    same = {"size": row.size == head.size, "time": row.at == head.at, "tree": root == head.root}
    return [name for name, holds in same.items() if not holds]


def _check_destinations(conn: Connection, stored: Sequence[HeadCopy]) -> Iterator[Finding]:
    """No destination has a head that the ledger never had: it would be sent none until the log has grown so far."""
    last = max((one.head.size for one in stored), default=0)
    for name, state in head_log.destination_states(conn).items():
        if state.size > last:
            sentence = f"is recorded to have a head of {state.size} leaves, and the last one has {last}"
            yield Finding("head_destination", name, sentence)


def _name(copy: HeadCopy) -> str:
    head = f"head of {copy.head.size} leaves"
    return head if copy.where == _LEDGER else f"{head} in {copy.where}"


def _when(copy: HeadCopy) -> str:
    return f"{copy.head.at:%Y-%m-%d %H:%M} UTC" if copy.head.at else "an unknown time"


def _check_roots(conn: Connection, heads: Sequence[HeadCopy]) -> Iterator[Finding]:
    heads = list({one.note.text: one for one in heads}.values())  # of one that is in several places, the copy
    size, roots = _compute_roots(conn, {one.head.size for one in heads})
    longer = [one for one in heads if one.head.size > size]
    differing = [one for one in heads if one.head.size in roots and roots[one.head.size] != one.head.root]
    agreeing = [one for one in heads if roots.get(one.head.size) == one.head.root]
    after = f"; the last head that agrees is that of {_when(agreeing[-1])}" if agreeing else ""
    if differing:
        sentence = f"the log of facts had another root at {_when(differing[0])}: it was rewritten since"
        yield Finding("head_differs", _name(differing[0]), f"{sentence}{_others(differing)}{after}")
    if longer:
        sentence = f"the log of facts has {size} leaves only: its end was cut after {_when(longer[0])}"
        yield Finding("log_shorter", _name(longer[0]), f"{sentence}{_others(longer)}{after}")


def _others(heads: Sequence[HeadCopy]) -> str:
    return f" ({format_count(len(heads) - 1, 'other head')} likewise)" if len(heads) > 1 else ""


def _compute_roots(conn: Connection, sizes: Iterable[int]) -> tuple[int, dict[int, bytes]]:
    """The size of the log, and its root at each of *sizes* that it reaches."""
    wanted, roots, frontier = sorted(sizes, reverse=True), {}, TreeFrontier()

    def note_root() -> None:
        while wanted and wanted[-1] == frontier.size:
            roots[wanted.pop()] = frontier.root()

    note_root()
    for row in fact_log.stream_leaves(conn):
        for leaf in split_hashes(row.hashes[: len(row.hashes) // HASH_BYTES * HASH_BYTES]):
            frontier.append(leaf)
            note_root()
    return frontier.size, roots


def _check_signatures(heads: Sequence[HeadCopy], keys: KeyRing, witnesses: Sequence[VerifierKey]) -> Iterator[Finding]:
    """Each head must be signed by a key that counts; such a head also vouches for the keys that it names."""
    trusted, unknown = dict.fromkeys(keys.verifiers), defaultdict[str, list[HeadCopy]](list)
    for one in heads:
        valid: list[VerifierKey] = []
        invalid: list[VerifierKey] = []
        for key in dict.fromkeys((*trusted, *witnesses)):
            if any((line.name, line.key_id) == (key.name, key.key_id) for line in one.note.signatures):
                (valid if one.note.is_signed_by(key) else invalid).append(key)
        for key in invalid:
            sentence = f"the signature of the key {key.name}+{key.key_id.hex()} is not valid: its text was changed"
            yield Finding("head_signature", _name(one), sentence)
        own = [key for key in valid if key not in witnesses]
        counting = [key for key in own if _counts(one, key, keys)]
        if counting:
            trusted.update(dict.fromkeys(one.head.keys))
        elif own:
            yield _retired_finding(one, own[0], keys)
        elif not invalid:
            unknown[" and ".join(f"{line.name}+{line.key_id.hex()}" for line in one.note.signatures)].append(one)
    for names, of_names in unknown.items():
        sentence = f"no known key has signed it, but {names}{_others(of_names)}: give its public key with --keys"
        yield Finding("head_key_unknown", _name(of_names[0]), sentence)


def _counts(one: HeadCopy, key: VerifierKey, keys: KeyRing) -> bool:
    since = keys.retired_since(key)
    return since is None or (one.head.at is not None and one.head.at < since)


def _retired_finding(one: HeadCopy, key: VerifierKey, keys: KeyRing) -> Finding:
    since = keys.retired_since(key)
    named = f"the key {key.name}+{key.key_id.hex()}, which was retired at {since:%Y-%m-%d %H:%M} UTC"
    return Finding("head_key_retired", _name(one), f"signed at {_when(one)}, and only by {named}")


def _check_order(stored: Sequence[HeadCopy], copies: Sequence[HeadCopy]) -> Iterator[Finding]:
    """Sizes and times grow together, each head names the one before, and the ledger has what its copies have."""
    texts = {one.note.text for one in stored}
    known = {hash_checkpoint(one.note.text) for one in (*stored, *copies)}
    missing = list({one.note.text: one for one in copies if one.note.text not in texts}.values())
    if missing:
        sentence = f"the ledger has no such head{_others(missing)}"
        yield Finding("head_unrecorded", _name(missing[0]), sentence)
    before = None
    for one in stored:
        expected = hash_checkpoint(before.note.text) if before else None
        if one.head.previous != expected:
            yield Finding("head_missing", _name(one), "the head before it is not the one that it names")
        before = one
    for one in copies:
        if one.note.text not in texts and one.head.previous not in {None, *known}:
            named = b64encode(one.head.previous or b"").decode()
            yield Finding("head_missing", _name(one), f"the head before it ({named}) is nowhere")
    by_place = defaultdict[str, list[HeadCopy]](list)
    for one in (*stored, *sorted(copies, key=lambda copy: copy.head.size)):
        by_place[_LEDGER if one.where == _LEDGER else "copies"].append(one)
    for of_place in by_place.values():
        yield from _check_times(of_place)
    if len(origins := {one.head.origin for one in (*stored, *copies)}) > 1:
        yield Finding("head_origin", ", ".join(sorted(origins)), "heads of several ledgers, by the names in them")


def _check_times(heads: Sequence[HeadCopy]) -> Iterator[Finding]:
    for before, one in pairwise(heads):
        if before.head.at and one.head.at and one.head.at < before.head.at:
            yield Finding("head_order", _name(one), f"signed at {_when(one)}, before one of fewer leaves")


def _check_timestamps(
    heads: Sequence[HeadCopy], roots: Sequence[Certificate], counts: Counter[str]
) -> Iterator[Finding]:
    seen = set()
    for one in heads:
        for line in one.note.signatures:
            if (one.note.text, line) in seen:
                continue
            seen.add((one.note.text, line))
            try:
                timestamp = read_timestamp(one.note.text, line, roots)
            except NoteError as error:
                yield Finding("head_timestamp", _name(one), str(error))
                continue
            if timestamp is not None:
                counts["timestamps" if timestamp.is_trusted else "timestamps_without_roots"] += 1
                if one.head.at is not None:
                    yield from _check_timestamp_time(one, timestamp, one.head.at)


def _check_timestamp_time(one: HeadCopy, timestamp: Timestamp, signed_at: datetime) -> Iterator[Finding]:
    late, stamp = timestamp.at - signed_at, f"the timestamp of {timestamp.authority}"
    if late < -_CLOCKS:
        sentence = (
            f"{stamp} ({timestamp.at:%Y-%m-%d %H:%M} UTC) is older than the head ({_when(one)}): a clock is wrong"
        )
        yield Finding("head_timestamp", _name(one), f"{sentence}, or the head was dated later")
    elif late > _LATEST:
        sentence = f"{stamp} came {late.days} days after the head: what it confirms, it confirms from then on"
        yield Finding("head_timestamp", _name(one), sentence)
