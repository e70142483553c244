"""Check the webhook and the alert channels, without sending anything."""

from collections.abc import Iterator, Sequence
from datetime import timedelta

from sqlalchemy import Connection, exists, select

from rori_spiders.exceptions import UsageError
from rori_spiders.ledger import staged_envelopes
from rori_spiders.ledger.operations import alerts, source_status
from rori_spiders.ledger.tables import runs
from rori_spiders.manifest.catalog import Catalog
from rori_spiders.operations.alerts.alert_dispatcher import watched_sources
from rori_spiders.operations.alerts.channels import configured_channels
from rori_spiders.operations.alerts.delivery import DailyDigest
from rori_spiders.operations.alerts.email_message import OPENED
from rori_spiders.operations.doctor.checks import CheckContext, CheckResult
from rori_spiders.operations.doctor.fetching_checks import connection_problem
from rori_spiders.reviews import AT_ONCE, EVENTS
from rori_spiders.staging.webhook.client import WebhookClient

#: Most are sent within a minute; the digest, and messages that were put together, are later.
_LATE = timedelta(hours=1)


def check_webhook(context: CheckContext) -> Iterator[CheckResult]:
    """Its secret, whether its server takes connections, and how many envelopes it has not taken yet."""
    hook = WebhookClient.from_settings(context.settings.get("RORI_WEBHOOK_URL"))
    if hook is None:
        yield CheckResult("webhook", "ok", "none is set (RORI_WEBHOOK_URL)")
        return
    waiting = 0
    if context.ledger is not None:
        with context.ledger.connect() as conn:
            waiting = staged_envelopes.count_unannounced(conn)
    found = f"{hook.place}, {waiting} envelopes waiting to be sent"
    if problem := connection_problem(hook.url):
        do = (
            "Check that the receiver is running. The next job or dispatcher that reaches it sends the waiting "
            "envelopes."
        )
        yield CheckResult("webhook", "failed", f"{found}; {problem}", do)
    elif waiting and _is_idle(context):
        do = "The next job or dispatcher sends them. To send them now: `scrapy staging announce`."
        yield CheckResult("webhook", "warning", f"{found}; it accepts connections, and no job is running", do)
    else:
        yield CheckResult("webhook", "ok", f"{found}; it accepts connections")


def check_alert_channels(context: CheckContext) -> Iterator[CheckResult]:
    """Check the channels: number and kinds, and messages that were not delivered."""
    try:
        ways = configured_channels(context.settings)
        DailyDigest.parse(str(context.settings.get("RORI_ALERT_DIGEST")))
    except UsageError as error:
        yield CheckResult(
            "alert channels",
            "failed",
            str(error),
            "Correct it: docs/reference/alerts.md. Until then no alert is sent.",
        )
        return
    if not ways:
        do = "Set RORI_ALERT_EMAIL or RORI_ALERT_URLS, then `scrapy alerts test` (docs/reference/alerts.md)."
        yield CheckResult("alert channels", "warning", "none: alerts stay in the ledger and are not sent", do)
        return
    shown = f"{len(ways)}: {', '.join(way.shown for way in ways)}; `scrapy alerts test` sends through each"
    yield CheckResult("alert channels", "ok", shown)
    if context.ledger is not None:
        with context.ledger.connect() as conn:
            yield from _undelivered_alerts(conn, context, [way.name for way in ways])


def _undelivered_alerts(conn: Connection, context: CheckContext, names: Sequence[str]) -> Iterator[CheckResult]:
    """Check open alerts: those that a channel failed to deliver, and those not sent for an hour."""
    catalog = context.active_catalog.catalog if context.active_catalog else Catalog([])
    is_watched = watched_sources(catalog, source_status.load_states(conn), source_status.find_global_pause(conn))
    given_up, late = set(), set()
    for name in names:
        known = alerts.deliveries_by_channel(conn, name, now=context.now)
        for row in alerts.alerts_to_deliver(conn, now=context.now):
            if row["cleared_at"] is not None or not is_watched(row["source_id"]):
                continue
            tried = known.get((row["alert_id"], OPENED))
            sent_immediately = row["event"] in EVENTS and EVENTS[row["event"]].sent == AT_ONCE
            if tried is not None and not tried.delivered and tried.next_try_at is None:
                given_up.add(row["alert_id"])
            elif (
                tried.is_due(context.now - _LATE)
                if tried
                else sent_immediately and row["opened_at"] < context.now - _LATE
            ):
                late.add(row["alert_id"])
    if given_up:
        do = "`scrapy alerts show NUMBER` shows why. Fix the channel, run `scrapy alerts test`, and read the alerts."
        yield CheckResult(
            "alert messages", "warning", f"{len(given_up)} alerts were given up after all attempts failed", do
        )
    if late:
        do = (
            "No process sends alerts: run `scrapy dispatch`, or `scrapy alerts send` from cron "
            "(docs/reference/alerts.md)."
        )
        yield CheckResult("alert messages", "warning", f"{len(late)} alerts are more than an hour late", do)
    if not given_up and not late:
        yield CheckResult("alert messages", "ok", "none is late")


def _is_idle(context: CheckContext) -> bool:
    if context.ledger is None:
        return True
    with context.ledger.connect() as conn:
        return not conn.execute(select(exists().where(runs.c.state == "running"))).scalar_one()
