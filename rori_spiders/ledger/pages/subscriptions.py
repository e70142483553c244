"""Subscriptions to changes: who gets which, and what each has been sent. Functions over a Connection.

A change is due once it is described and matches; those described before somebody subscribed never are.
"""

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256
from typing import Any, Final, Literal

from sqlalchemy import Connection, and_, insert, select, update

from rori_spiders.ledger.dialects import insert_missing, lock_for_writing
from rori_spiders.ledger.operations import activity_log
from rori_spiders.ledger.operations.alerts import CLAIM_PERIOD, RETRY_DELAYS, is_claimed
from rori_spiders.ledger.pages.agency_owners import list_owners
from rori_spiders.ledger.pages.change_records import ChangeFilter, ChangeRow, PersonalChanges, list_changes
from rori_spiders.ledger.tables import change_deliveries, change_subscriptions, changes
from rori_spiders.runtime.redaction import get_redactor

Schedule = Literal["at_once", "daily", "weekly", "feed", "watch"]

FEED: Final = "feed"
#: A saved filter of a person: its changes are theirs until somebody is assigned; nothing is sent.
WATCH: Final = "watch"
_TOKEN_BYTES = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Subscription:
    """A row of ``change_subscriptions``. ``tries`` are in vain, since a server last took a message."""

    subscription_id: int
    owner: str
    schedule: Schedule
    send_to: str | None  # None: nothing is sent
    high_at_once: bool
    wanted: ChangeFilter
    created_at: datetime
    ended_at: datetime | None
    sent_at: datetime | None
    tries: int
    next_try_at: datetime | None
    error: str | None

    @property
    def is_sent(self) -> bool:
        """Whether messages are sent, unlike for what is read or watched."""
        return self.schedule not in {FEED, WATCH}


def add_subscription(
    conn: Connection,
    wanted: ChangeFilter,
    *,
    schedule: Schedule,
    send_to: str | None,
    high_at_once: bool,
    actor: str,
    now: datetime,
) -> tuple[int, str | None]:
    """Record a subscription of *actor*: its number, and the token of a feed, of which only the hash is stored."""
    token = secrets.token_urlsafe(_TOKEN_BYTES) if schedule == FEED else None
    filter_row = {
        "sources": sorted(wanted.sources),
        "kinds": sorted(wanted.kinds),
        "importance": int(wanted.importance),
        "words": wanted.words,
    }
    row = {
        "owner": actor,
        "schedule": schedule,
        "send_to": send_to,
        "token_hash": token and _hash(token),
        "high_at_once": high_at_once,
        "filter": filter_row,
        "created_at": now,
        "tries": 0,
    }
    added = conn.execute(insert(change_subscriptions).values(row).returning(change_subscriptions.c.subscription_id))
    number = int(added.scalar_one())
    details = {"schedule": schedule, "send_to": send_to, "high_at_once": high_at_once, "filter": filter_row}
    activity_log.record_action(
        conn, now=now, actor=actor, action="subscribe", target=f"subscription {number}", details=details
    )
    return number, token


def end_subscription(conn: Connection, number: int, *, actor: str, now: datetime) -> bool:
    """End a subscription; False when none of this number is running."""
    its = (change_subscriptions.c.subscription_id == number) & change_subscriptions.c.ended_at.is_(None)
    if not conn.execute(update(change_subscriptions).where(its).values(ended_at=now)).rowcount:
        return False
    activity_log.record_action(conn, now=now, actor=actor, action="unsubscribe", target=f"subscription {number}")
    return True


def list_subscriptions(conn: Connection, *, ended: bool = False, owner: str | None = None) -> list[Subscription]:
    """The subscriptions that have not ended, with *ended* all, in the order of their numbers; only *owner*'s."""
    query = select(change_subscriptions).order_by(change_subscriptions.c.subscription_id)
    if not ended:
        query = query.where(change_subscriptions.c.ended_at.is_(None))
    if owner is not None:
        query = query.where(change_subscriptions.c.owner == owner)
    return [_subscription(row) for row in conn.execute(query).mappings()]


def personal_changes(conn: Connection, person: str, agencies: Mapping[str, Sequence[str]]) -> PersonalChanges:
    """What `mine` means to *person*: with the filters that they watch, and the agencies that they own.

    *agencies* has the ids of each agency's sources, by the active manifest.
    """
    watched = [one.wanted for one in list_subscriptions(conn, owner=person) if one.schedule == WATCH]
    owned = [agency for agency, owner in list_owners(conn).items() if owner == person]
    if ids := [source_id for agency in owned for source_id in agencies.get(agency, ())]:
        watched.append(ChangeFilter(sources=ids))
    return PersonalChanges(person, watched)


def find_feed(conn: Connection, token: str) -> Subscription | None:
    """The feed with this token; None: there is none, or it has ended."""
    its = (change_subscriptions.c.token_hash == _hash(token)) & change_subscriptions.c.ended_at.is_(None)
    row = conn.execute(select(change_subscriptions).where(its)).mappings().one_or_none()
    return None if row is None else _subscription(row)


def _hash(token: str) -> str:
    return sha256(token.encode("utf-8", "replace")).hexdigest()


def _subscription(row: Any) -> Subscription:
    values = {name: row[name] for name in Subscription.__dataclass_fields__ if name != "wanted"}
    return Subscription(**values, wanted=ChangeFilter(**row["filter"]))


def unsent_changes(
    conn: Connection, one: Subscription, *, importance: int = 0, until: datetime | None = None
) -> list[ChangeRow]:
    """The changes that *one* has not been sent, newest first: described by *until*, at least so important."""
    its = and_(
        change_deliveries.c.subscription_id == one.subscription_id,
        change_deliveries.c.page_id == changes.c.page_id,
        change_deliveries.c.seq == changes.c.seq,
    )
    conditions = [~select(change_deliveries.c.seq).where(its).exists(), changes.c.described_at >= one.created_at]
    if until is not None:
        conditions.append(changes.c.described_at <= until)
    wanted = replace(one.wanted, importance=max(one.wanted.importance, importance))
    return list(list_changes(conn, wanted, *conditions))


def claim_changes(
    conn: Connection, number: int, due: Callable[[Subscription], list[ChangeRow]], *, now: datetime
) -> list[ChangeRow]:
    """What the caller is to send for a subscription, within CLAIM_PERIOD; empty where another one sends, or nothing is
    *due*, which is asked behind the lock: what another one has sent meanwhile is not. To be called first in a
    transaction.

    A try is counted before it is made: one that ends the process counts too. The last delay repeats: nothing is given
    up.
    """
    lock_for_writing(conn, change_subscriptions)
    its = change_subscriptions.c.subscription_id == number
    query = select(change_subscriptions).where(its, change_subscriptions.c.ended_at.is_(None))
    row = conn.execute(query).mappings().one_or_none()
    if row is None or is_claimed(row["claimed_until"], now):
        return []
    if found := due(_subscription(row)):
        values = {
            "claimed_until": now + CLAIM_PERIOD,
            "tries": row["tries"] + 1,
            "next_try_at": now + RETRY_DELAYS[min(row["tries"], len(RETRY_DELAYS) - 1)],
            "error": "the program ended before there was an answer",
        }
        conn.execute(update(change_subscriptions).where(its).values(values))
    return found


def record_sending(
    conn: Connection, number: int, sent: Sequence[ChangeRow], *, error: str | None, now: datetime
) -> None:
    """Record what became of the message with *sent*, and end the claim; *error* is None when a server took it."""
    values: dict[str, Any] = {"claimed_until": None}
    if error is None:
        values |= {"sent_at": now, "tries": 0, "next_try_at": None, "error": None}
        keys = ({"page_id": change.page_id, "seq": change.seq} for change in sent)
        insert_missing(conn, change_deliveries, [{"subscription_id": number, **key, "sent_at": now} for key in keys])
    else:
        values["error"] = get_redactor().text(error)
    conn.execute(update(change_subscriptions).where(change_subscriptions.c.subscription_id == number).values(values))
