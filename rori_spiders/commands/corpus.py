"""``scrapy corpus``: from collected pages to reviewed, published versions of a domain's corpus."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.terminal.command import RoriCommand, Subcommands, positive_count
from rori_spiders.terminal.listing import FORMATS

if TYPE_CHECKING:
    import argparse

    from rori_spiders.terminal.corpus.session import CorpusSession

_RUN_VERBS = {
    "run": "begin a run, or go on with one, until it is a person's turn",
    "map": "the same, until the map is there and samples are read",
    "triage": "the same, until every page is decided about",
    "clean": "the same, until every text is cleaned",
    "validate": "the same, until every document is checked",
}
_REVIEW_VERBS = {
    "approve": "approve a run whose pages are all approved",
    "cancel": "give a run up",
    "publish": "publish an approved run, and start its loader",
    "rollback": "publish the pages of an older version once more",
}
_VERSION_VERBS = {
    "load": "start the loader of the latest version, unless it is under way or done",
    "delta": "begin a draft of what has changed since the latest version",
}


class Corpus(RoriCommand):
    examples = (
        "scrapy corpus run www.hud.gov                        until it is a person's turn",
        "scrapy corpus status",
        "scrapy corpus review www.hud.gov --gate needs_review",
        'scrapy corpus review www.hud.gov --exclude URL --reason "a form"',
        "scrapy corpus review www.hud.gov --approve-publishable",
        "scrapy corpus approve www.hud.gov && scrapy corpus publish www.hud.gov",
        "scrapy corpus delta www.hud.gov                      what has changed since, as a draft",
    )
    usage = (
        "run|map|triage|clean|validate DOMAIN | status [DOMAIN] | review DOMAIN | approve|cancel|publish DOMAIN | "
        "rollback DOMAIN VERSION | load DOMAIN | report-load DOMAIN VERSION STATE | reconcile DOMAIN LISTING | "
        "delta DOMAIN"
    )
    summary = "Make, review and publish a corpus of what was collected"
    description = (
        "A domain's pages are mapped, triaged, cleaned between guards, checked, reviewed by a person, published "
        "as immutable versions. What a person says of a page holds for later runs. See docs/explanation/corpus.md."
    )

    def options(self, parser: argparse.ArgumentParser) -> None:
        verbs = Subcommands(parser)
        for name, what in _RUN_VERBS.items():
            verb = verbs.add(name, what)
            verb.add_argument("domain", metavar="DOMAIN", help="such as www.hud.gov")
            verb.add_argument("--source", action="append", metavar="ID", help="a new run of these sources alone")
            verb.add_argument("--without-model", action="store_true", help="a new run uses no model")
            verb.add_argument("--site", metavar="URL", help="a new run of the site that begins there, which is asked")
            verb.add_argument("--run", metavar="ID", help="go on with this run, and begin no other")
        status = verbs.add("status", "runs and versions")
        status.add_argument("domain", nargs="?", metavar="DOMAIN", help="only its own")
        status.add_argument("--versions", action="store_true", help="the versions, not the runs")
        status.add_argument("--limit", type=positive_count, default=20, metavar="N", help="the newest N (default: 20)")
        _add_review_verb(verbs)
        for name, what in _REVIEW_VERBS.items():
            verb = verbs.add(name, what)
            verb.add_argument("domain", metavar="DOMAIN")
            verb.add_argument("--reason", metavar="TEXT", help="why; kept with your name")
            if name == "rollback":
                verb.add_argument("version", type=positive_count, metavar="VERSION", help="whose pages are wanted")
            if name == "approve":
                verb.add_argument("--withdraw", action="store_true", help="take the approval back")
            if name == "publish":
                said = "skip pages whose publishers forbid reuse, and list them"
                verb.add_argument("--skip-restricted", action="store_true", help=said)
        against = verbs.add("reconcile", "compare the latest version with what a loader's index holds")
        against.add_argument("domain", metavar="DOMAIN")
        against.add_argument("listing", metavar="LISTING", help="JSON lines with doc_id and content_hash; - for stdin")
        _add_report_verb(verbs)
        for name, what in _VERSION_VERBS.items():
            verbs.add(name, what).add_argument("domain", metavar="DOMAIN")
        for verb in (status, against):
            verb.add_argument("--format", choices=FORMATS, default="table", help="table (default), json or csv")

    def answer(self, opts: argparse.Namespace) -> int:
        # Scrapy imports each command to run one of them: what only this one needs is loaded here.
        from rori_spiders.terminal.corpus.session import open_session, parse_domain

        assert self.settings is not None
        if getattr(opts, "domain", None) is not None:
            opts.domain = parse_domain(opts.domain)
        with open_session(self.settings, self.places, self.person(), self.now) as session:
            return _run_verb(session, opts)


def _run_verb(session: CorpusSession, opts: argparse.Namespace) -> int:
    from rori_spiders.terminal.corpus import listings, publishing, review, runs

    if opts.verb in _RUN_VERBS:
        return runs.advance_run(session, opts)
    if opts.verb == "status":
        write = listings.write_versions if opts.versions else listings.write_runs
        if not write(session, opts.domain, opts.format, opts.limit) and opts.format == "table":
            print("No corpus runs yet. Start one with `scrapy corpus run DOMAIN`.")
        return 0
    verbs = {
        "review": review.review_pages,
        "approve": review.approve_run,
        "cancel": review.cancel_run,
        "publish": publishing.publish_run,
        "rollback": publishing.roll_back_version,
        "load": publishing.load_latest,
        "report-load": publishing.record_load_report,
        "reconcile": publishing.compare_with_listing,
        "delta": publishing.start_draft,
    }
    return verbs[opts.verb](session, opts)


def _add_report_verb(verbs: Subcommands) -> None:
    verb = verbs.add("report-load", "record the result of a loader that runs on its own")
    verb.add_argument("domain", metavar="DOMAIN")
    verb.add_argument("version", type=positive_count, metavar="VERSION", help="the one that it was started for")
    verb.add_argument("state", choices=("started", "done", "failed"), metavar="STATE", help="started, done or failed")
    verb.add_argument("--execution-id", metavar="ID", help="the execution_id that the loader returned")
    verb.add_argument("--message", metavar="TEXT", help="why, for people to read")


def _add_review_verb(verbs: Subcommands) -> None:
    verb = verbs.add("review", "list a run's pages, show a text, decide, approve")
    verb.add_argument("domain", metavar="DOMAIN")
    acts = {
        "--include": "this page belongs to it, in later runs too",
        "--exclude": "it does not",
        "--clear-decision": "the rules decide again",
        "--add": "a page that the map has missed",
        "--approve-page": "its text is right",
        "--reject": "its text is wrong",
        "--clean-again": "clean it anew",
    }
    for name, what in acts.items():
        verb.add_argument(name, action="append", metavar="URL", help=what)
    verb.add_argument("--approve-publishable", action="store_true", help="approve all that passed every gate")
    verb.add_argument("--reason", metavar="TEXT", help="why; kept with your name")
    verb.add_argument("--text", metavar="URL", help="show the text of a page")
    texts = ("raw", "draft", "clean", "document", "removals", "cleaning")
    verb.add_argument("--stage", choices=texts, default="document", help="which stage of the text (default: document)")
    verb.add_argument("--decision", choices=("include", "exclude", "needs_review"), help="list only these")
    verb.add_argument("--gate", choices=("publishable", "needs_review", "excluded"), help="list only these")
    verb.add_argument("--review-state", choices=("open", "approved", "rejected"), help="list only these")
    verb.add_argument("--format", choices=FORMATS, default="table", help="table (default), json or csv")
