"""``scrapy changes``: what changed, how much it matters and why."""

import argparse
import sys
from dataclasses import replace
from functools import partial

from rori_spiders.configuration.existing_ledger import open_existing_ledger
from rori_spiders.exceptions import ActionRefused, UsageError
from rori_spiders.ledger.database import open_ledger
from rori_spiders.ledger.pages.vocabulary import REVIEWS, parse_version_id
from rori_spiders.staging.store_factory import open_store
from rori_spiders.terminal.command import (
    RoriCommand,
    Subcommands,
    add_format_option,
    add_period_options,
    add_sources_option,
    parse_day,
    positive_count,
)
from rori_spiders.terminal.listing import FORMATS

_LEVELS = ("high", "medium", "low")


class Changes(RoriCommand):
    examples = (
        "scrapy changes --since 2026-11-19",
        "scrapy changes --since 2026-11-01 --importance high --format md > november.md",
        "scrapy changes list --source cfpb-reg-x --kind number --kind date --format csv",
        "scrapy changes --importance high --format atom > changes.xml",
        'scrapy changes review 12-3 14-2 --decision not_material --reason "a telephone number"',
        'scrapy changes assign 12-3 14-2 --to ann --due 2026-12-04 --comment "our letters?"',
        "scrapy changes --mine --review open --unread",
        "scrapy changes --review open --order importance",
        "scrapy changes --imported --source cfpb-reg-x --since 2023-01-01",
        "scrapy changes read 12-3 14-2",
        "scrapy changes subscribe compliance@example.org --schedule weekly --high-at-once",
        "scrapy changes subscribe feed --importance high",
        "scrapy changes subscribe watch --source cfpb-reg-x",
        "scrapy changes own CFPB --to ann",
        "scrapy changes noise 12-3 14-2",
        "scrapy changes rules",
    )
    usage = (
        "[list] [--since DATE] [--until DATE] [--source ID] [--importance LEVEL] [--kind KIND] [--review STATE] "
        "[--mine] [--unread] [--assignee NAME] [--overdue] [--imported] [--order ORDER] [--format FORM] | "
        "read CHANGE... | "
        "unread CHANGE... | review CHANGE... --decision DECISION [--reason TEXT] | "
        "assign CHANGE... --to NAME [--due DATE] [--comment TEXT] | unassign CHANGE... [--comment TEXT] | "
        "comment CHANGE... --text TEXT | "
        "subscribe ADDRESS [--schedule SCHEDULE] [--high-at-once] [--source ID] [--importance LEVEL] [--kind KIND] "
        "[--words TEXT] | own AGENCY [--to NAME] | owners [--format FORM] | "
        "subscriptions [--all] [--format FORM] | unsubscribe NUMBER... | noise CHANGE... [--format FORM] | rules"
    )
    summary = "List changed texts, newest first, with their importance and why; review and subscribe"
    description = (
        "Without a verb, the command lists changed texts: what changed in one sentence, the old and new figures, and "
        "the importance with the rule that assigned it. What a source held when it was collected first is an "
        "initial capture, not a change. `review` records whether a change is material, or closes it; `assign` names "
        "who is to look at it and by when. `subscribe` has future changes sent by e-mail, or makes a feed of them. "
        "`scrapy diff` shows a change word by word."
    )

    def options(self, parser: argparse.ArgumentParser) -> None:
        verbs = Subcommands(parser, default="list")
        listing = verbs.add("list", "list changed texts, newest first")
        add_change_filters(listing)
        listing.add_argument(
            "--mine",
            action="store_true",
            help="only changes assigned to you, or to nobody and in a filter you watch or an agency you own",
        )
        listing.add_argument(
            "--order",
            choices=("newest", "importance"),
            default="newest",
            help="newest first (default), or the most important publications first, as the monitor lists them",
        )
        listing.add_argument("--unread", action="store_true", help="only changes that you have not marked as read")
        listing.add_argument(
            "--imported",
            action="store_true",
            help="list changes between imported texts (scrapy import) instead, which this collector did not see",
        )
        listing.add_argument(
            "--format",
            choices=(*FORMATS, "md", "atom"),
            default="table",
            help="table (default), json, csv, md (grouped by publication) or atom (a feed)",
        )
        for verb, about in (("read", "record that you have read changes"), ("unread", "mark changes as unread again")):
            marking = verbs.add(verb, about)
            marking.add_argument(
                "changes", metavar="CHANGE", nargs="+", type=_parse_change, help="a change, such as 12-3"
            )
        reviewing = verbs.add("review", "record whether changes are material")
        reviewing.add_argument(
            "changes", metavar="CHANGE", nargs="+", type=_parse_change, help="a change, such as 12-3"
        )
        reviewing.add_argument(
            "--decision",
            choices=REVIEWS,
            required=True,
            help="material, not_material, closed (material, and done), or open to take it back",
        )
        reviewing.add_argument("--reason", metavar="TEXT", help="why; recorded in the ledger with your name")
        self._assignment_options(verbs)
        self._subscription_options(verbs)
        owning = verbs.add("own", "name who owns the sources of an agency: their changes are this person's")
        owning.add_argument("agency", metavar="AGENCY", help="an agency of the active manifest, such as CFPB")
        owning.add_argument("--to", metavar="NAME", help="a user of the monitor, or yourself; without: nobody any more")
        add_format_option(verbs.add("owners", "list the agencies, and who owns each"))
        proposing = verbs.add("noise", "propose noise lines for the manifest from changes that are not material")
        proposing.add_argument(
            "changes", metavar="CHANGE", nargs="+", type=_parse_change, help="a change of one source, such as 12-3"
        )
        proposing.add_argument("--format", choices=("table", "json"), default="table", help="table (default) or json")
        add_format_option(verbs.add("rules", "list the importance rules in the order in which they apply"))

    def _assignment_options(self, verbs: Subcommands) -> None:
        assigning = verbs.add("assign", "name who is to look at changes, and by when")
        unassigning = verbs.add("unassign", "take assignments back")
        commenting = verbs.add("comment", "write about changes")
        for one in (assigning, unassigning, commenting):
            one.add_argument("changes", metavar="CHANGE", nargs="+", type=_parse_change, help="a change, such as 12-3")
        assigning.add_argument(
            "--to", metavar="NAME", required=True, help="a user of the monitor, or yourself, by your user name here"
        )
        assigning.add_argument("--due", metavar="DATE", type=parse_day, help="by the end of this day (UTC)")
        for one in (assigning, unassigning):
            one.add_argument("--comment", metavar="TEXT", help="recorded with it")
        commenting.add_argument("--text", metavar="TEXT", required=True, help="recorded with your name; it stays")

    def _subscription_options(self, verbs: Subcommands) -> None:
        subscribing = verbs.add("subscribe", "send future changes by e-mail or to a channel, or make a feed of them")
        subscribing.add_argument(
            "send_to",
            metavar="ADDRESS",
            help="an e-mail address (sent by RORI_SMTP_URL), the name of a channel of RORI_ALERT_URLS, `feed`, or "
            "`watch` (your list: nothing is sent)",
        )
        subscribing.add_argument(
            "--schedule",
            choices=("at_once", "daily", "weekly"),
            default="daily",
            help="at_once, daily (default) or weekly (Monday), at the time of RORI_ALERT_DIGEST",
        )
        subscribing.add_argument(
            "--high-at-once", action="store_true", help="do not let changes of high importance wait for the digest"
        )
        _add_filter_options(subscribing)
        subscribing.add_argument(
            "--words", metavar="TEXT", default="", help="only pages with this text in URL or title"
        )
        listing = verbs.add("subscriptions", "list who is sent which changes, what waits, and what failed")
        listing.add_argument("--all", action="store_true", help="include ended subscriptions")
        add_format_option(listing)
        ending = verbs.add("unsubscribe", "end subscriptions")
        ending.add_argument(
            "numbers", metavar="NUMBER", nargs="+", type=positive_count, help="number of the subscription"
        )

    def answer(self, opts: argparse.Namespace) -> int:
        if opts.verb in {"subscribe", "subscriptions", "unsubscribe"}:
            return self._answer_subscriptions(opts)
        from rori_spiders.terminal.comparison import changes  # with it comes all that compares texts

        if opts.verb == "list" and opts.imported:
            return self._list_imported(opts)
        if opts.verb == "rules":
            return changes.print_rules(opts.format)
        if opts.verb in {"own", "owners"}:
            return self._answer_owners(opts)
        wanted = changes.build_filter(opts, self.now()) if opts.verb == "list" else None
        with self.collected_ledger() as ledger:
            if opts.verb == "noise":
                from rori_spiders.terminal.comparison.noise_lines import print_proposal

                store = open_store(self.places.staging)
                return print_proposal(ledger, store, partial(self.load_catalog, ledger), opts.changes, opts.format)
            if wanted is None:
                return changes.act(ledger, opts, actor=self.person(), now=self.now())
            self.require_sources(ledger, *opts.source)
            if opts.mine:
                wanted = changes.narrow_to_person(ledger, wanted, self.person(), self.load_catalog(ledger))
            if opts.unread:
                wanted = replace(wanted, unread_by=self.person())
            store = open_store(self.places.staging)
            changes.describe_missing(ledger, store, partial(self.load_catalog, ledger), clock=self.now)
            is_ranked = opts.order == "importance"
            return changes.print_changes(
                ledger, wanted, opts.format, is_ranked=is_ranked, now=self.now(), out=sys.stdout
            )

    def _answer_owners(self, opts: argparse.Namespace) -> int:
        from rori_spiders.terminal.comparison import changes

        with open_ledger(self.places.database_url) as ledger:
            catalog = self.load_catalog(ledger)
            if opts.verb == "owners":
                return changes.print_owners(ledger, catalog, opts.format)
            return changes.own_agency(ledger, catalog, opts.agency, opts.to, actor=self.person(), now=self.now())

    def _list_imported(self, opts: argparse.Namespace) -> int:
        from rori_spiders.comparison.version_diff import TextArchive
        from rori_spiders.terminal.comparison import changes

        _require_imported_filters(opts)
        wanted = changes.build_filter(opts, self.now())
        with self.collected_ledger() as ledger:
            self.require_sources(ledger, *opts.source)
            archive = TextArchive(ledger, open_store(self.places.staging), partial(self.load_catalog, ledger))
            return changes.print_imported_changes(archive, wanted, opts.format, clock=self.now, out=sys.stdout)

    def _answer_subscriptions(self, opts: argparse.Namespace) -> int:
        from rori_spiders.terminal.comparison import subscriptions

        if opts.verb == "subscribe":
            with open_ledger(self.places.database_url) as ledger:
                self.require_sources(ledger, *opts.source)
                return subscriptions.subscribe(ledger, opts, self.settings, actor=self.person(), now=self.now())
        with open_existing_ledger(self.places) as held:
            if held is None:
                raise ActionRefused("nobody is sent changes yet: `scrapy changes subscribe` adds a subscription")
            if opts.verb == "unsubscribe":
                return subscriptions.unsubscribe(held, opts.numbers, actor=self.person(), now=self.now())
            return subscriptions.print_subscriptions(held, opts.format, ended=opts.all)


def _require_imported_filters(opts: argparse.Namespace) -> None:
    """Raise UsageError for what is not known of changes between imported texts: nobody reviews them."""
    others = {
        "--mine": opts.mine,
        "--unread": opts.unread,
        "--review": opts.review,
        "--assignee": opts.assignee,
        "--overdue": opts.overdue,
        "--initial": opts.initial,
        f"--format {opts.format}": opts.format not in FORMATS,
    }
    if unfit := next((name for name, is_set in others.items() if is_set), None):
        raise UsageError(f"{unfit} is not known of imported texts: with --imported, leave it out")


def _add_filter_options(parser: argparse.ArgumentParser) -> None:
    add_sources_option(parser)
    parser.add_argument(
        "--importance", choices=_LEVELS, default="low", help="at least this important (default: low, all changes)"
    )
    parser.add_argument("--kind", metavar="KIND", action="append", default=[], help="only this kind (repeatable)")


def add_change_filters(parser: argparse.ArgumentParser) -> None:
    """Add what a list of changes can be narrowed by, as `build_filter` reads it."""
    add_period_options(parser)
    _add_filter_options(parser)
    parser.add_argument("--review", choices=REVIEWS, help="only changes with this review")
    parser.add_argument("--assignee", metavar="NAME", help="only changes assigned to this person")
    parser.add_argument(
        "--overdue", action="store_true", help="only changes whose day is over, not closed or not material"
    )
    parser.add_argument("--initial", action="store_true", help="include initial captures")


def _parse_change(text: str) -> tuple[int, int]:
    try:
        return parse_version_id(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected a change such as 12-3, not {text!r}") from None
