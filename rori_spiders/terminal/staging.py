"""Confirm, count, prune and announce envelopes for `scrapy staging`."""

import argparse
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from datetime import datetime
from pathlib import Path

from rori_spiders.exceptions import ActionRefused
from rori_spiders.ledger import staged_envelopes
from rori_spiders.ledger.database import Ledger
from rori_spiders.ledger.operations import activity_log
from rori_spiders.ledger.staged_envelopes import PrunableEnvelope
from rori_spiders.operations.alerts.webhook_alerts import deliver_and_update_alert as announced
from rori_spiders.runtime.control_characters import escape_one_line
from rori_spiders.runtime.plurals import format_count
from rori_spiders.staging.retention import ConfirmationReport, import_confirmations, prune_envelopes
from rori_spiders.staging.store import Store
from rori_spiders.staging.webhook.announcer import current_time as by_clock
from rori_spiders.staging.webhook.client import WebhookClient, WebhookFailed
from rori_spiders.terminal.command import add_format_option
from rori_spiders.terminal.listing import Column, write_details, write_listing

PRUNED_COLUMNS = (
    Column("confirmed_at", "confirmed (UTC)"),
    Column("source_id", "source"),
    Column("path", "file"),
    Column("envelope_id"),
)
#: How many items of a long list are named; the rest is counted.
_MAX_IDS_NAMED = 20


def add_confirm_options(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("ids", nargs="*", metavar="ENVELOPE_ID", help="id of an ingested envelope")
    verb.add_argument("--file", metavar="FILE", help="read ids from FILE, one per line; - for standard input")


def add_prune_options(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--dry-run", action="store_true", help="list what would be removed; remove nothing")
    verb.add_argument(
        "--older-than",
        metavar="DAYS",
        type=_parse_days,
        help="remove envelopes confirmed more than DAYS ago (default: RORI_RETENTION_DAYS)",
    )
    add_format_option(verb)


def _parse_days(text: str) -> int:
    if not text.isdecimal() or int(text) > 36_500:
        raise argparse.ArgumentTypeError(f"expected a number of days such as 90, not {text!r}")
    return int(text)


def read_envelope_ids(opts: argparse.Namespace) -> list[str]:
    """The ids from the command line and from ``--file``. UsageError if the file cannot be read."""
    if opts.file is None:
        return list(opts.ids)
    try:
        text = sys.stdin.read() if opts.file == "-" else Path(opts.file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ActionRefused(f"{opts.file} cannot be read: {error}") from error
    return [*opts.ids, *filter(None, map(str.strip, text.splitlines()))]


def confirm_envelopes(ledger: Ledger, store: Store, ids: list[str], *, actor: str, now: datetime) -> int:
    """Confirm *ids* and the confirmations in the staging area. Return 1 if an id is unknown."""
    taken = import_confirmations(ledger, store, now)
    with ledger.begin() as conn:
        typed = staged_envelopes.confirm_envelopes(conn, ids, now=now)
        if typed.now:
            counts = {"envelopes": typed.now}
            activity_log.record_action(conn, now=now, actor=actor, action="confirm", target="staging", details=counts)
    _print_confirmed(taken)
    print(f"{typed.now} confirmed, {typed.before} already confirmed.")
    _print_unknown(typed.unknown)
    return 1 if typed.unknown else 0


def _print_confirmed(taken: ConfirmationReport) -> None:
    done = taken.confirmed
    if done.now:
        sys.stderr.write(f"{done.now} newly confirmed by the confirmations file in the staging area.\n")
    for line in taken.wrong[:_MAX_IDS_NAMED]:
        sys.stderr.write(f"Invalid line in the confirmations file: {escape_one_line(line)!r}\n")
    if len(taken.wrong) > _MAX_IDS_NAMED:
        sys.stderr.write(f"... and {len(taken.wrong) - _MAX_IDS_NAMED} more such lines.\n")
    _print_unknown(done.unknown)


def _print_unknown(unknown: tuple[str, ...]) -> None:
    if unknown:
        named = ", ".join(escape_one_line(one[: _MAX_IDS_NAMED * 4]) for one in unknown[:_MAX_IDS_NAMED])
        more = f" and {len(unknown) - _MAX_IDS_NAMED} more" if len(unknown) > _MAX_IDS_NAMED else ""
        sys.stderr.write(f"No staged envelope has the id {named}{more}. Check the ids and RORI_DATABASE_URL.\n")


def print_staging_status(ledger: Ledger, store: Store, before: datetime, form: str) -> int:
    """Print the counts of the staging area from the ledger."""
    with ledger.connect() as conn:
        stands = staged_envelopes.retention_status(conn, before=before)
    facts = {"place": store.location, **asdict(stands), "bytes": store.envelope_bytes()}
    write_details(facts, form)
    return 0


def print_prunable(ledger: Ledger, before: datetime, form: str) -> int:
    """List what a prune would remove; does not import new confirmations from the staging area."""
    with ledger.connect() as conn:
        count = _print_envelopes(staged_envelopes.list_prunable(conn, before=before), form)
    if form == "table":
        print(f"{format_count(count, 'envelope')} would be removed: confirmed before {before:%Y-%m-%d %H:%M} UTC.")
    return 0


def prune_and_print(ledger: Ledger, store: Store, before: datetime, form: str, *, actor: str, now: datetime) -> int:
    """Import confirmations, remove envelopes confirmed before *before*, and list them."""
    _print_confirmed(import_confirmations(ledger, store, now))
    count = _print_envelopes(prune_envelopes(ledger, store, confirmed_before=before, actor=actor, now=now), form)
    if form == "table":
        print(f"{format_count(count, 'envelope')} removed: confirmed before {before:%Y-%m-%d %H:%M} UTC.")
    return 0


def _print_envelopes(removed: Iterable[PrunableEnvelope], form: str) -> int:
    rows: Iterator[dict[str, object]] = map(asdict, removed)
    return write_listing(rows, PRUNED_COLUMNS, form)


# ``scrapy staging announce``: send unsent webhook events without a job.


def announce_waiting(ledger: Ledger, url: str, owner: str, now: datetime) -> int:
    """Announce waiting envelopes and print how many. Return 1 if some still wait. UsageError without a hook."""
    hook = WebhookClient.from_settings(url)
    if hook is None:
        raise ActionRefused("RORI_WEBHOOK_URL is not set: set it to the URL of the webhook")
    with ledger.begin() as conn:
        staged_envelopes.start_notifications(conn, now=now)
    why = "another process is announcing"
    sent = 0
    try:
        sent = announced(ledger, hook, owner, clock=by_clock, goes_on=lambda: True)
    except WebhookFailed as error:
        why = str(error)
    with ledger.connect() as conn:
        left = staged_envelopes.count_unannounced(conn)
    if left:
        print(f"{format_count(left, 'envelope')} not announced to {hook.place}: {why}.")
        return 1
    print(f"{format_count(sent, 'envelope')} announced to {hook.place}; none waiting.")
    return 0
