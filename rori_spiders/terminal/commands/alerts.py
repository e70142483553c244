"""``scrapy alerts``: list alerts, show one, send or test notifications."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rori_spiders.configuration.existing_ledger import open_existing_ledger
from rori_spiders.exceptions import ManifestError, UnknownName, UsageError
from rori_spiders.ledger.database import Ledger, open_ledger
from rori_spiders.ledger.operations import alerts
from rori_spiders.runtime.plurals import format_count
from rori_spiders.terminal.command import RoriCommand, Subcommands, add_format_option, positive_count
from rori_spiders.terminal.listing import label_of_key, print_hint, write_details, write_listing

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from sqlalchemy import Connection

    from rori_spiders.manifest.catalog import Catalog


class Alerts(RoriCommand):
    examples = (
        "scrapy alerts",
        "scrapy alerts list --source hud-fha --all --format json",
        "scrapy alerts show 12",
        "scrapy alerts test",
        "scrapy alerts send",
    )
    usage = "[list] [--source ID] [--all] [--format FORM] | show NUMBER | test | send"
    summary = "List open alerts, show one; send or test notifications"
    description = (
        "Without a verb, the command lists open alerts, the most urgent first. `show` prints what happened, the "
        "affected pages, what to do and each delivery. `test` sends a message through every configured channel and "
        "prints each result (exit code 1 if one failed). `send` checks for alerts that no run can raise and sends "
        "due notifications; run it from cron if you run no dispatcher."
    )

    def options(self, parser: argparse.ArgumentParser) -> None:
        verbs = Subcommands(parser, default="list")
        listing = verbs.add("list", "list open alerts, the most urgent first")
        listing.add_argument("--source", metavar="ID", help="list only alerts of this source")
        listing.add_argument("--all", action="store_true", help="include cleared alerts")
        add_format_option(listing)
        showing = verbs.add("show", "show one alert: what happened, affected pages, what to do, deliveries")
        showing.add_argument("number", metavar="NUMBER", type=positive_count, help="number of the alert")
        add_format_option(showing)
        verbs.add("test", "send a test message through every configured channel")
        verbs.add("send", "send due notifications")

    def answer(self, opts: argparse.Namespace) -> int:
        if opts.verb == "list":
            return self._list(opts)
        if opts.verb == "show":
            with open_existing_ledger(self.places) as ledger:
                if ledger is not None:
                    with ledger.connect() as conn:
                        return self._show(conn, opts.number, opts.format)
            raise UnknownName(f"no alert {opts.number}: nothing collected yet")
        return self._test() if opts.verb == "test" else self._send()

    # --- looking --------------------------------------------------------------------------------------------------

    def _list(self, opts: argparse.Namespace) -> int:
        from rori_spiders.ledger.operations import source_status
        from rori_spiders.operations.alerts import alert_dispatcher
        from rori_spiders.terminal import alerts as shown

        found: list[dict[str, Any]] = []
        with open_existing_ledger(self.places) as ledger:
            if ledger is not None:
                self.require_sources(ledger, opts.source)
                catalog, fault = self._load_sources(ledger)
                with ledger.connect() as conn:
                    rows = alerts.list_alerts(conn, opts.source, cleared=opts.all)
                    is_watched = alert_dispatcher.watched_sources(
                        catalog, source_status.load_states(conn), source_status.find_global_pause(conn)
                    )
                # With an invalid manifest nobody knows which sources it stops.
                found = [
                    shown.alert_row(one, is_watched=fault is not None or is_watched(one["source_id"]))
                    for one in shown.sort_alerts(rows)
                ]
        write_listing(found, shown.ALERT_COLUMNS, opts.format)
        if opts.format == "table":
            print_hint(shown.alerts_summary(len(found), all_of_them=opts.all))
        return 0

    def _load_sources(self, ledger: Ledger) -> tuple[Catalog, ManifestError | None]:
        """The active catalog, or an empty one with the error: an invalid manifest raises an alert, too."""
        from rori_spiders.manifest.catalog import Catalog

        try:
            return self.load_catalog(ledger), None
        except ManifestError as error:
            return Catalog([]), error

    def _show(self, conn: Connection, alert_id: int, form: str) -> int:
        from rori_spiders.terminal import alerts as shown

        alert = alerts.find_alert(conn, alert_id)
        if alert is None:
            raise UnknownName(f"no alert {alert_id}: `scrapy alerts list --all` lists every alert")
        pages, sent = shown.alert_page_rows(conn, alert), alerts.deliveries_of_alert(conn, alert_id)
        facts = shown.alert_facts(conn, alert)
        if form != "table":
            deliveries = shown.delivery_rows(sent, self._names())
            write_details({**facts, "pages": pages, "deliveries": deliveries}, form)
            return 0
        write_details(facts, label=label_of_key)
        if pages:
            print()
            write_listing(pages, shown.ALERT_PAGE_COLUMNS)
        print()
        if not write_listing(shown.delivery_rows(sent, self._names()), shown.DELIVERY_COLUMNS):
            print("No notifications sent.")
        return 0

    def _names(self) -> Callable[[str], str]:
        """A function from a channel's ledger name to its display name; the name itself if no longer configured."""
        from rori_spiders.operations.alerts import channels

        try:
            now = {one.name: one.shown for one in channels.configured_channels(self.settings)}
        except UsageError:
            now = {}
        return lambda name: now.get(name, name)

    # --- sending --------------------------------------------------------------------------------------------------

    def _test(self) -> int:
        from rori_spiders.operations.alerts import channels, email_message

        ways = channels.configured_channels(self.settings)
        if not ways:
            print("No notification channel is configured. Set RORI_ALERT_EMAIL or RORI_ALERT_URLS.")
            return 1
        body = f"Test message from {self.person()}: alerts will arrive here.\nLedger: {self.places.shown_ledger}\n"
        text = email_message.AlertMessage("[RORI] test", body)
        failed = 0
        for way in ways:
            error = channels.send_message(way, text)
            failed += error is not None
            print(
                f"{way.shown}: {'sent' if error is None else f'FAILED: {email_message.sanitise_line(error)}'}",
                flush=True,
            )
        return 1 if failed else 0

    def _send(self) -> int:
        from rori_spiders.operations.alerts import alert_dispatcher, email_message

        with open_ledger(self.places.database_url) as ledger:
            catalog, fault = self._load_sources(ledger)
            done = alert_dispatcher.run_alert_round(ledger, catalog, self.settings, self.now())
        for one in done.sent:
            became = (
                "sent" if one.error is None else f"FAILED, will be retried: {email_message.sanitise_line(one.error)}"
            )
            print(f"{one.channel.shown}: {one.alerts} {became}")
        for attempt in done.changes:
            failure = None if attempt.error is None else email_message.sanitise_line(attempt.error)
            became = "sent" if failure is None else f"FAILED, will be retried: {failure}"
            number = attempt.subscription.subscription_id
            print(f"subscription {number}: {format_count(attempt.changes, 'change')} {became}")
        if not done.sent and not done.changes:
            print("No notifications due.")
        if fault is not None:
            raise fault
        return 1 if done.failed else 0
