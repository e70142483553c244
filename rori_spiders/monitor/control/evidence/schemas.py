"""Schemas of signed heads."""

from __future__ import annotations

from datetime import datetime  # pydantic reads annotations when it runs
from typing import Literal

from pydantic import Field

from rori_spiders.monitor.rest.schemas import ApiModel

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
