"""``scrapy corpus``: from collected pages to reviewed, published versions of a domain's corpus."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.terminal.command import RoriCommand, Subcommands, positive_count
from rori_spiders.terminal.listing import FORMATS, print_hint

if TYPE_CHECKING:
    import argparse

    from rori_spiders.terminal.corpus.session import CorpusSession

_RUN_VERBS = {
    "run": "start or resume a run; stops when review is needed",
    "map": "start or resume a run; stops when the site is mapped and samples are read",
    "triage": "start or resume a run; stops when every page is included or excluded",
    "clean": "start or resume a run; stops when every text is cleaned",
    "validate": "start or resume a run; stops when every document is validated",
}
_REVIEW_VERBS = {
    "approve": "approve a run whose pages are all approved",
    "cancel": "cancel a run",
    "publish": "publish an approved run as a version and start its loader",
    "rollback": "publish the pages of an older version as a new version",
}
_VERSION_VERBS = {
    "load": "start the loader for the latest version, unless it is running or done",
    "delta": "start a draft of the changes since the latest version",
}


class Corpus(RoriCommand):
    examples = (
        "scrapy corpus run www.hud.gov                        stops when review is needed",
        "scrapy corpus status",
        "scrapy corpus review www.hud.gov --gate needs_review",
        'scrapy corpus review www.hud.gov --exclude URL --reason "a form"',
        "scrapy corpus review www.hud.gov --approve-publishable",
        "scrapy corpus review www.hud.gov --interactive       page by page, a key for each decision",
        "scrapy corpus review www.hud.gov --format csv > pages.csv      then: --decisions pages.csv",
        "scrapy corpus approve www.hud.gov && scrapy corpus publish www.hud.gov",
        "scrapy corpus try-rules www.hud.gov new-rules.yaml    what they would remove, before they hold",
        'scrapy corpus references www.ecfr.gov --to "12 C.F.R. § 1024.17"',
        "scrapy corpus clean www.hud.gov --estimate            what the language model would cost",
        "scrapy corpus delta www.hud.gov                      drafts the changes since the last version",
    )
    usage = (
        "run|map|triage|clean|validate DOMAIN | status [DOMAIN] | review DOMAIN | approve|cancel|publish DOMAIN | "
        "rollback DOMAIN VERSION | load DOMAIN | report-load DOMAIN VERSION STATE | reconcile DOMAIN LISTING | "
        "references DOMAIN | try-rules DOMAIN [FILE] | delta DOMAIN"
    )
    summary = "Build, review and publish a corpus from collected pages"
    description = (
        "A run maps and triages a domain's pages, cleans and validates their text, waits for review, and publishes "
        "an immutable version. Review decisions apply to later runs, too. See docs/explanation/corpus.md."
    )

    def options(self, parser: argparse.ArgumentParser) -> None:
        verbs = Subcommands(parser)
        for name, what in _RUN_VERBS.items():
            verb = verbs.add(name, what)
            verb.add_argument("domain", metavar="DOMAIN", help="such as www.hud.gov")
            verb.add_argument("--source", action="append", metavar="ID", help="new run: only this source (repeatable)")
            verb.add_argument("--without-model", action="store_true", help="new run: use no language model")
            verb.add_argument("--site", metavar="URL", help="new run: crawl the site that starts at this URL")
            depth_help = "with --site: map pages this many links from the start (default: 1), beside its sitemaps"
            verb.add_argument("--depth", type=positive_count, metavar="N", help=depth_help)
            verb.add_argument("--run", metavar="ID", help="resume this run; start no new one")
            if name == "clean":
                estimate_help = "map, and say what cleaning by the model would take at most; it is not asked"
                verb.add_argument("--estimate", action="store_true", help=estimate_help)
        status = verbs.add("status", "list runs or versions")
        status.add_argument("domain", nargs="?", metavar="DOMAIN", help="list only this domain")
        status.add_argument("--versions", action="store_true", help="list versions instead of runs")
        status.add_argument(
            "--limit", type=positive_count, default=20, metavar="N", help="list the newest N (default: 20)"
        )
        _add_review_verb(verbs)
        for name, what in _REVIEW_VERBS.items():
            verb = verbs.add(name, what)
            verb.add_argument("domain", metavar="DOMAIN")
            verb.add_argument("--reason", metavar="TEXT", help="why; recorded with your name")
            if name == "rollback":
                verb.add_argument(
                    "version", type=positive_count, metavar="VERSION", help="the version to publish again"
                )
            if name == "approve":
                verb.add_argument("--withdraw", action="store_true", help="withdraw the approval")
            if name == "publish":
                help_text = "skip pages whose publishers forbid reuse, and list them"
                verb.add_argument("--skip-restricted", action="store_true", help=help_text)
        against = verbs.add("reconcile", "compare the latest version with a loader's index")
        against.add_argument("domain", metavar="DOMAIN")
        against.add_argument("listing", metavar="LISTING", help="JSON lines with doc_id and content_hash; - for stdin")
        refers = _add_references_verb(verbs)
        trial = verbs.add("try-rules", "list what site rules would remove, repair and flag; changes nothing")
        trial.add_argument("domain", metavar="DOMAIN")
        rules_help = "a file of site rules (default: those of the project); - for stdin"
        trial.add_argument("rules", nargs="?", metavar="FILE", help=rules_help)
        _add_report_verb(verbs)
        for name, what in _VERSION_VERBS.items():
            verbs.add(name, what).add_argument("domain", metavar="DOMAIN")
        for verb in (status, against, refers, trial):
            verb.add_argument("--format", choices=FORMATS, default="table", help="table (default), json or csv")

    def answer(self, opts: argparse.Namespace) -> int:
        # Scrapy imports each command to run one of them: what only this one needs is loaded here.
        from rori_spiders.terminal.corpus.session import open_session, parse_domain

        if getattr(opts, "domain", None) is not None:
            opts.domain = parse_domain(opts.domain)
        with open_session(self.settings, self.places, self.person(), self.now) as session:
            return _run_verb(session, opts)


def _run_verb(session: CorpusSession, opts: argparse.Namespace) -> int:
    from rori_spiders.terminal.corpus import listings, publishing, review, rule_trial, runs

    if opts.verb in _RUN_VERBS:
        return runs.advance_run(session, opts)
    if opts.verb == "status":
        write = listings.write_versions if opts.versions else listings.write_runs
        if not write(session, opts.domain, opts.format, opts.limit) and opts.format == "table":
            print_hint("No corpus runs yet. Start one with `scrapy corpus run DOMAIN`.")
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
        "references": listings.write_references,
        "try-rules": rule_trial.write_rule_trial,
        "delta": publishing.start_draft,
    }
    return verbs[opts.verb](session, opts)


def _add_references_verb(verbs: Subcommands) -> argparse.ArgumentParser:
    verb = verbs.add("references", "list who refers to whom in the latest version")
    verb.add_argument("domain", metavar="DOMAIN")
    to_help = "only references to this URL, document, chunk or citation, and to what stands below it"
    verb.add_argument("--to", metavar="TARGET", help=to_help)
    verb.add_argument("--from", dest="from_page", metavar="PAGE", help="only references of this URL, document or chunk")
    resolutions = ("exact", "part", "missing", "outside", "unknown")
    verb.add_argument("--resolution", choices=resolutions, help="only these; missing: cited, but not there")
    return verb


def _add_report_verb(verbs: Subcommands) -> None:
    verb = verbs.add("report-load", "record the result of an external loader")
    verb.add_argument("domain", metavar="DOMAIN")
    verb.add_argument("version", type=positive_count, metavar="VERSION", help="the version that the loader loads")
    verb.add_argument("state", choices=("started", "done", "failed"), metavar="STATE", help="started, done or failed")
    verb.add_argument("--execution-id", metavar="ID", help="the execution_id that the loader returned")
    verb.add_argument("--message", metavar="TEXT", help="explanation for reviewers")


def _add_review_verb(verbs: Subcommands) -> None:
    verb = verbs.add("review", "list a run's pages, show a text, include, exclude, approve or reject pages")
    verb.add_argument("domain", metavar="DOMAIN")
    acts = {
        "--include": "include this page, in later runs too",
        "--exclude": "exclude this page, in later runs too",
        "--clear-decision": "let the rules decide about this page again",
        "--add": "add a page that the map missed",
        "--approve-page": "approve the text of this page",
        "--reject": "reject the text of this page",
    }
    for name, what in acts.items():
        verb.add_argument(name, action="append", metavar="URL", help=what)
    clean_help = "clean this page again by the current site rules; or those of a path (/rules/), or all of them (/)"
    verb.add_argument("--clean-again", action="append", metavar="URL", help=clean_help)
    write_help = "replace the text of this page by that of --file, marked as yours"
    verb.add_argument("--write-text", metavar="URL", help=write_help)
    verb.add_argument("--file", metavar="FILE", help="the text for --write-text, as markdown; - for stdin")
    from_help = "a page that the text of --write-text is from (repeatable; default: the page itself)"
    verb.add_argument("--from", dest="from_url", action="append", metavar="URL", help=from_help)
    verb.add_argument("--approve-publishable", action="store_true", help="approve every page that passed all gates")
    verb.add_argument("--reason", metavar="TEXT", help="why; recorded with your name")
    decisions_help = (
        "apply the column `action` of this file, as --format csv writes it and you filled it in; - for stdin"
    )
    verb.add_argument("--decisions", metavar="FILE", help=decisions_help)
    interactive_help = "go through the pages that wait: what is doubtful, the text, a key for each decision"
    verb.add_argument("--interactive", action="store_true", help=interactive_help)
    verb.add_argument("--text", metavar="URL", help="print the text of this page")
    texts = ("raw", "draft", "clean", "document", "removals", "cleaning")
    verb.add_argument("--stage", choices=texts, default="document", help="which stage of the text (default: document)")
    verb.add_argument(
        "--decision", choices=("include", "exclude", "needs_review"), help="list only pages with this decision"
    )
    verb.add_argument(
        "--gate", choices=("publishable", "needs_review", "excluded"), help="list only pages with this result"
    )
    verb.add_argument(
        "--review-state", choices=("open", "approved", "rejected"), help="list only pages with this state"
    )
    verb.add_argument("--format", choices=FORMATS, default="table", help="table (default), json or csv")
