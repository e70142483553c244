"""Sign the head at the end of a job, and send what each destination does not have yet.

Nothing here fails a job: what a destination does not accept, it is sent with the next head.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection

from rori_spiders.evidence.delivery.base import CopyDestination, DeliveryFailed, ReceiptDestination
from rori_spiders.ledger.audit import head_log
from rori_spiders.ledger.audit.head_log import DestinationState, StoredHead
from rori_spiders.ledger.database import Ledger

#: Heads that a copy is sent at once: a new one has those of years.
_AT_ONCE = 200


@dataclass(frozen=True, slots=True)
class Delivery:
    """What became of a *destination*: the heads that it accepted, and why it did not accept more."""

    destination: str
    sent: int
    error: str | None = None


def deliver_heads(
    ledger: Ledger,
    destinations: Sequence[CopyDestination | ReceiptDestination],
    *,
    now: datetime,
    goes_on: Callable[[], bool] = lambda: True,
) -> list[Delivery]:
    """Send every destination what it lacks: receipts first, so that the copies have them. Raises LedgerError."""
    receipts = [one for one in destinations if isinstance(one, ReceiptDestination)]
    copies = [one for one in destinations if isinstance(one, CopyDestination)]
    with ledger.connect() as conn:
        newest, states = head_log.last_head(conn), head_log.destination_states(conn)
    if newest is None or not destinations:
        return []

    def confirm(one: ReceiptDestination) -> Delivery:
        return _confirm(ledger, one, newest, states.get(one.name, DestinationState()))

    def copy(one: CopyDestination) -> Delivery:
        return _copy(ledger, one, states.get(one.name, DestinationState()), now, goes_on)

    with ThreadPoolExecutor(max_workers=len(destinations), thread_name_prefix="heads") as pool:
        found = [*pool.map(confirm, receipts)]
        found += pool.map(copy, copies)
    for one in found:
        if one.error is not None:
            _note_failed(ledger, one.destination, one.error, now)
    return found


def _note_failed(ledger: Ledger, destination: str, error: str, now: datetime) -> None:
    ledger.write(lambda conn: head_log.note_failed(conn, destination, error, now=now))


def _confirm(ledger: Ledger, one: ReceiptDestination, head: StoredHead, state: DestinationState) -> Delivery:
    if state.size == head.size and state.failed_at is None:
        return Delivery(one.name, 0)
    try:
        lines = one.request(ledger, head, state.size)
    except DeliveryFailed as error:
        return Delivery(one.name, 0, str(error))
    except Exception as error:  # of one destination, which must not keep the others from theirs
        return Delivery(one.name, 0, f"{type(error).__name__}: {error}")

    def keep(conn: Connection) -> None:
        head_log.add_receipt(conn, head.size, lines)
        head_log.note_sent(conn, one.name, head.size)

    ledger.write(keep)
    return Delivery(one.name, 1)


def _copy(
    ledger: Ledger, one: CopyDestination, state: DestinationState, now: datetime, goes_on: Callable[[], bool]
) -> Delivery:
    with ledger.connect() as conn:
        waiting = head_log.list_heads(conn, after=state.size, limit=_AT_ONCE)
    sent, error = 0, None
    for head in waiting:
        if sent and not goes_on():
            break
        try:
            one.send(head, now)
        except DeliveryFailed as failure:
            error = str(failure)
            break
        except Exception as failure:  # of one destination, which must not keep the others from theirs
            error = f"{type(failure).__name__}: {failure}"
            break
        sent += 1
    if sent:
        size = waiting[sent - 1].size
        ledger.write(lambda conn: head_log.note_sent(conn, one.name, size))
    return Delivery(one.name, sent, error)
