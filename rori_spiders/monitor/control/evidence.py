"""The newest signed head of the log of facts, where it was sent, and what was verified last: GET /api/v1/evidence."""

from base64 import b64encode
from datetime import datetime
from typing import Literal

from fastapi import APIRouter
from pydantic import Field
from sqlalchemy import Connection, func, select

from rori_spiders.evidence.checkpoints import parse_checkpoint
from rori_spiders.evidence.delivery.destinations import SETTING, list_destination_names
from rori_spiders.evidence.signed_notes import NoteError, NoteSignature, parse_note
from rori_spiders.evidence.timestamps import derive_timestamp_id, read_timestamp
from rori_spiders.ledger.audit import fact_log, head_log
from rori_spiders.ledger.audit.head_log import DestinationState, StoredHead
from rori_spiders.ledger.operations import activity_log, alerts
from rori_spiders.ledger.tables import log_heads
from rori_spiders.monitor.rest.schemas import ApiModel
from rori_spiders.monitor.security.permissions import Viewer
from rori_spiders.monitor.state.dependencies import AppStateDep
from rori_spiders.reviews import HEAD_UNSIGNED

DestinationKind = Literal["file", "bucket", "webhook", "timestamp_authority", "witness"]


class HeadReceipt(ApiModel):
    """Who confirmed a head."""

    name: str
    kind: Literal["timestamp", "cosignature"]
    at: datetime | None = Field(description="When, by the other's clock; null where it cannot be read.")


class SignedHead(ApiModel):
    """A signed head of the log of facts."""

    size: int = Field(description="Number of facts that it covers.")
    root: str = Field(description="Hash of all of them, base64.")
    at: datetime = Field(description="When it was signed.")
    origin: str = Field(description="Name of the ledger.")
    keys: list[str] = Field(description="IDs of the keys that signed it, hex.")
    receipts: list[HeadReceipt]
    problem: str | None = Field(description="What is wrong with it as the ledger has it; null: it can be read.")


class HeadDestination(ApiModel):
    """A place that heads are sent to."""

    name: str
    kind: DestinationKind
    size: int = Field(description="Facts that the last head it has covers; 0: it has none.")
    missing: int = Field(
        description="Heads that it does not have; a timestamp authority and a witness need the newest."
    )
    failed_at: datetime | None = Field(description="When it first refused a head that it still lacks.")
    error: str | None
    is_configured: bool = Field(description="Whether RORI_EVIDENCE_HEADS of the monitor names it.")


class Verification(ApiModel):
    """What `scrapy verify --record` found."""

    at: datetime
    by: str
    problems: int
    kinds: dict[str, int] = Field(description="Problems by kind (docs/reference/envelope.md).")
    extent: str = Field(description="What was checked, in sentences.")
    is_whole: bool = Field(description="Whether everything was opened.")
    head_copies: int = Field(description="Places of copies of heads that were compared.")


class EvidenceStatus(ApiModel):
    """How far the record is proven."""

    facts: int = Field(description="Size of the log of facts.")
    newest: SignedHead | None = Field(description="The newest signed head; null: none was ever signed.")
    uncovered: int = Field(description="Facts that no signed head covers.")
    refused: str | None = Field(description="Why the last job signed none; null: it did, or has no key.")
    destinations: list[HeadDestination]
    verification: Verification | None = Field(description="The last one on record.")


_KINDS: dict[str, DestinationKind] = {"file": "file", "s3": "bucket", "http": "webhook", "https": "webhook"}
_RECEIPTS = ("timestamp_authority", "witness")


def read_evidence_status(conn: Connection, configured: str) -> EvidenceStatus:
    """Read it all; *configured* is RORI_EVIDENCE_HEADS."""
    newest, facts = head_log.last_head(conn), fact_log.count_leaves(conn)
    refused = [one["message"] for one in alerts.open_alerts(conn, "") if one["event"] == HEAD_UNSIGNED]
    return EvidenceStatus(
        facts=facts,
        newest=_signed_head(newest) if newest is not None else None,
        uncovered=max(0, facts - (newest.size if newest is not None else 0)),
        refused=refused[-1] if refused else None,
        destinations=_read_destinations(conn, newest, configured),
        verification=_read_verification(conn),
    )


def _signed_head(stored: StoredHead) -> SignedHead:
    try:
        own, full = parse_note(stored.note), parse_note(stored.full_note)
        head = parse_checkpoint(own.text)
    except NoteError as error:  # a forger's, or damage: `scrapy verify` finds it
        return SignedHead(
            size=stored.size,
            root="",
            at=stored.at,
            origin="",
            keys=[],
            receipts=[],
            problem=f"It cannot be read: {error}",
        )
    receipts = [_receipt(own.text, line) for line in full.signatures[len(own.signatures) :]]
    return SignedHead(
        size=head.size,
        root=b64encode(head.root).decode(),
        at=stored.at,
        origin=head.origin,
        keys=[line.key_id.hex() for line in own.signatures],
        receipts=receipts,
        problem=None,
    )


def _receipt(text: str, line: NoteSignature) -> HeadReceipt:
    if line.key_id != derive_timestamp_id(line.name):
        return HeadReceipt(name=line.name, kind="cosignature", at=None)
    try:
        stamp = read_timestamp(text, line, ())
    except NoteError:
        stamp = None
    return HeadReceipt(name=line.name, kind="timestamp", at=stamp.at if stamp is not None else None)


def _read_destinations(conn: Connection, newest: StoredHead | None, configured: str) -> list[HeadDestination]:
    names, states = list_destination_names(configured), head_log.destination_states(conn)
    found = []
    for name in dict.fromkeys([*names, *sorted(states)]):
        state, kind = states.get(name, DestinationState()), _kind(name)
        if kind in _RECEIPTS:
            missing = int(newest is not None and state.size < newest.size)
        else:
            after = select(func.count()).select_from(log_heads).where(log_heads.c.size > state.size)
            missing = conn.execute(after).scalar_one()
        found.append(
            HeadDestination(
                name=name,
                kind=kind,
                size=state.size,
                missing=missing,
                failed_at=state.failed_at,
                error=state.error,
                is_configured=name in names,
            )
        )
    return found


def _kind(name: str) -> DestinationKind:
    scheme = name.partition("://")[0]
    if scheme.startswith("rfc3161+"):
        return "timestamp_authority"
    return "witness" if scheme.startswith("witness+") else _KINDS.get(scheme, "webhook")


def _read_verification(conn: Connection) -> Verification | None:
    row = activity_log.find_last(conn, activity_log.VERIFY)
    if row is None:
        return None
    return Verification(at=row["at"], by=row["actor"], **row["details"])


router = APIRouter(tags=["evidence"])


@router.get("/evidence")
def get_evidence_status(_: Viewer, served: AppStateDep) -> EvidenceStatus:
    """Return the newest signed head, where it was sent and whether it arrived, and what was verified last."""
    with served.ledger.connect() as conn:
        return read_evidence_status(conn, str(served.settings.get(SETTING) or ""))
