"""Sign the head of the log of facts, and keep it: at the end of each job, and on request.

The tree is never read whole: the last head keeps the frontier of its tree, and the next goes on from there.
"""

from contextlib import closing
from datetime import datetime

from sqlalchemy import Connection

from rori_spiders.evidence.checkpoints import Checkpoint, hash_checkpoint, parse_checkpoint
from rori_spiders.evidence.keys import KeyRing
from rori_spiders.evidence.signed_notes import NoteError, SignedNote, parse_note, sign_note
from rori_spiders.exceptions import RoriError
from rori_spiders.ledger.audit import fact_log, head_log
from rori_spiders.ledger.audit.head_log import StoredHead
from rori_spiders.ledger.audit.merkle_tree import HASH_BYTES, TreeFrontier, split_hashes
from rori_spiders.ledger.database import Ledger
from rori_spiders.ledger.dialects import lock_for_writing
from rori_spiders.ledger.tables import fact_leaves


class HeadRefused(RoriError):
    """Raised when the log of facts is not the one that was signed before: nothing is signed over it."""


def sign_head(ledger: Ledger, keys: KeyRing, *, now: datetime) -> StoredHead | None:
    """Sign the head of the log with each of *keys*, and keep it; None where nothing was added since the last one.

    Raises HeadRefused where the log does not continue the last head, and LedgerError.
    """
    return ledger.write(lambda conn: _sign_head(conn, keys, now))


def _sign_head(conn: Connection, keys: KeyRing, now: datetime) -> StoredHead | None:
    lock_for_writing(conn, fact_leaves)  # a leaf that is appended meanwhile would stand between root and size
    last = head_log.last_head(conn)
    size = fact_log.count_leaves(conn)
    if last is None:
        frontier, previous = TreeFrontier(), None
    else:
        if size < last.size:
            raise HeadRefused(
                f"The log of facts has {size} leaves, but the head of {last.at:%Y-%m-%d %H:%M} UTC covers {last.size}: "
                "leaves were removed from its end. No head is signed."
            )
        frontier, previous = _continue_from(conn, last, keys)
        if size == last.size:
            return None
    _append_since(conn, frontier)
    at = now if last is None else max(now, last.at)
    head = Checkpoint(
        keys.origin, frontier.size, frontier.root(), at, previous, tuple(key.verifier for key in keys.signing)
    )
    note = str(sign_note(head.render(), *keys.signing))
    stored = StoredHead(frontier.size, at, note, "", b"".join(frontier.nodes))
    head_log.add_head(conn, stored)
    return stored


def _continue_from(conn: Connection, last: StoredHead, keys: KeyRing) -> tuple[TreeFrontier, bytes]:
    """The frontier of the last head, and the hash of its text. Raises HeadRefused where the two do not agree."""
    try:
        note = parse_note(last.note)
        head = parse_checkpoint(note.text)
        frontier = TreeFrontier(last.size, split_hashes(last.frontier))
    except (NoteError, ValueError) as error:
        raise HeadRefused(f"The last head, of {last.size} leaves, is damaged: {error}. No head is signed.") from error
    if not _is_own(note, keys):
        # Of a key that was lost, or another's: the log itself must have that root.
        frontier = TreeFrontier()
        _append_since(conn, frontier, until=last.size)
    if (head.size, head.root) != (frontier.size, frontier.root()):
        raise HeadRefused(
            f"The log of facts does not have the root of its last head ({last.at:%Y-%m-%d %H:%M} UTC, {last.size} "
            "leaves): it was rewritten. No head is signed."
        )
    return frontier, hash_checkpoint(note.text)


def _is_own(note: SignedNote, keys: KeyRing) -> bool:
    """Whether a key that we know has signed *note*. Raises HeadRefused for a signature in its name that is not its."""
    named = [key for key in keys.verifiers for one in note.signatures if one.key_id == key.key_id]
    if named and not any(note.is_signed_by(key) for key in named):
        raise HeadRefused("The signature of the last head is not valid: it was changed. No head is signed.")
    return bool(named)


def _append_since(conn: Connection, frontier: TreeFrontier, *, until: int | None = None) -> None:
    with closing(fact_log.stream_leaves(conn, since=frontier.size)) as rows:
        for row in rows:
            if until is not None and row.position >= until:
                break
            if row.position != frontier.size or len(row.hashes) % HASH_BYTES:
                raise HeadRefused(
                    f"The log of facts has a gap: expected leaf {frontier.size}, found leaf {row.position}. No head "
                    "was signed; `scrapy verify` shows what is missing."
                )
            frontier.extend(split_hashes(row.hashes))
