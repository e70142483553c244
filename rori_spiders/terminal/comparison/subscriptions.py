"""``scrapy changes subscribe``, ``subscriptions`` and ``unsubscribe``: who is sent which changes."""

import argparse
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from rori_spiders.comparison.change_report import describe_filter
from rori_spiders.comparison.importance import Importance
from rori_spiders.exceptions import UnknownName, UsageError
from rori_spiders.ledger.database import Ledger
from rori_spiders.ledger.pages import subscriptions
from rori_spiders.ledger.pages.change_records import ChangeFilter
from rori_spiders.ledger.pages.subscriptions import FEED, WATCH, Schedule, Subscription
from rori_spiders.operations.alerts.change_delivery import find_channel
from rori_spiders.operations.alerts.channels import Settings
from rori_spiders.terminal.comparison.changes import require_kinds
from rori_spiders.terminal.listing import Column, print_hint, write_listing
from rori_spiders.urls.canonical import bracket_ipv6

_COLUMNS = (
    Column("subscription", "number"), Column("schedule", "schedule"), Column("send_to", "sent to"),
    Column("changes", "changes", width=60), Column("owner", "by"), Column("waiting", "waiting"),
    Column("sent_at", "last sent (UTC)"), Column("error", "problem", width=60),
    *map(Column, ("sources", "kinds", "importance", "words", "high_at_once", "created_at", "ended_at")),
    *map(Column, ("tries", "next_try_at")),
)  # fmt: skip


def subscribe(
    ledger: Ledger,
    opts: argparse.Namespace,
    settings: Settings,
    *,
    actor: str,
    now: datetime,
) -> int:
    """Record the subscription of the command line. Raises UsageError for what could never be sent."""
    require_kinds(opts.kind)
    schedule: Schedule = opts.send_to if opts.send_to in {FEED, WATCH} else opts.schedule
    is_sent = schedule == opts.schedule
    if not is_sent and opts.high_at_once:
        raise UsageError(f"--high-at-once is for what is sent; a {schedule} always has every change")
    channel = find_channel(settings, opts.send_to) if is_sent else None
    wanted = ChangeFilter(
        sources=opts.source, kinds=opts.kind, importance=int(Importance[opts.importance.upper()]), words=opts.words
    )
    with ledger.begin() as conn:
        number, token = subscriptions.add_subscription(
            conn,
            wanted,
            schedule=schedule,
            send_to=opts.send_to if is_sent else None,
            high_at_once=opts.high_at_once,
            actor=actor,
            now=now,
        )
    unsent = "as a feed" if schedule == FEED else "watched"
    how = unsent if channel is None else f"{schedule.replace('_', ' ')} to {channel.shown}"
    print(f"Subscription {number}: {describe_filter(wanted)}, {how}.")
    if token is not None:
        print(f"Feed: {_monitor_address(settings)}/feeds/{token}.atom")
        print("Anyone who has it can read the feed. It is not shown again.")
    elif schedule == WATCH:
        print_hint("`scrapy changes --mine` lists them until somebody is assigned.")
    else:
        print_hint("Sent by the dispatcher, at the end of each job, and by `scrapy alerts send`.")
    return 0


def _monitor_address(settings: Settings) -> str:
    """Where browsers find it: by its first public name, which a proxy serves by HTTPS, or else on this machine."""
    names = str(settings.get("RORI_MONITOR_ALLOWED_HOSTS") or "").split(",")
    if name := next((one.strip() for one in names if one.strip()), None):
        return f"https://{name}"
    host = str(settings.get("RORI_MONITOR_HOST") or "127.0.0.1")
    return f"http://{bracket_ipv6(host)}:{settings.get('RORI_MONITOR_PORT')}"


def unsubscribe(ledger: Ledger, numbers: Sequence[int], *, actor: str, now: datetime) -> int:
    """End the subscriptions: all, or UnknownName for one that is not running."""
    with ledger.begin() as conn:
        unknown = [one for one in numbers if not subscriptions.end_subscription(conn, one, actor=actor, now=now)]
        if unknown:
            raise UnknownName(f"no running subscription {unknown[0]}. `scrapy changes subscriptions` lists them")
    print(f"Ended: {', '.join(f'subscription {number}' for number in numbers)}.")
    return 0


def print_subscriptions(ledger: Ledger, form: str, *, ended: bool) -> int:
    """List the subscriptions, each with what waits to be sent; 0, also when there are none."""

    def rows() -> Iterator[dict[str, Any]]:
        with ledger.connect() as conn:
            for one in subscriptions.list_subscriptions(conn, ended=ended):
                is_sent = one.is_sent and one.ended_at is None
                yield _row(one, len(subscriptions.unsent_changes(conn, one)) if is_sent else None)

    if not write_listing(rows(), _COLUMNS, form) and form == "table":
        print_hint("Nobody is sent changes. `scrapy changes subscribe ADDRESS` adds a subscription.")
    return 0


def _row(one: Subscription, waiting: int | None) -> dict[str, Any]:
    wanted = one.wanted
    return {
        "subscription": one.subscription_id,
        "schedule": one.schedule,
        "send_to": one.send_to,
        "changes": describe_filter(wanted),
        "owner": one.owner,
        "waiting": waiting,
        "sent_at": one.sent_at,
        "error": one.error,
        "sources": list(wanted.sources),
        "kinds": list(wanted.kinds),
        "importance": Importance(wanted.importance).word,
        "words": wanted.words,
        "high_at_once": one.high_at_once,
        "created_at": one.created_at,
        "ended_at": one.ended_at,
        "tries": one.tries,
        "next_try_at": one.next_try_at,
    }
