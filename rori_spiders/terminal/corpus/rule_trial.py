"""Try a file of site rules on the texts of a run from the command line."""

import argparse
from dataclasses import asdict

from rori_spiders.corpus.runs.rule_trial import try_rules
from rori_spiders.corpus.site_rules import parse_site_rules
from rori_spiders.runtime.plurals import format_count
from rori_spiders.terminal.corpus.decision_file import read_text
from rori_spiders.terminal.corpus.session import CorpusSession
from rori_spiders.terminal.listing import Column, write_listing

EFFECT_COLUMNS = (
    Column("operation", "operation"),
    Column("rule", "rule"),
    Column("pages", "pages", right=True),
    Column("blocks", "blocks", right=True),
    Column("before", "before", right=True),
    Column("binds", "binding", right=True),
    Column("example", "example"),
    Column("url"),
)
_SHOWN_CHARS = 60


def write_rule_trial(session: CorpusSession, opts: argparse.Namespace) -> int:
    """List what the rules of a file (default: the current ones) would do in the newest run. Nothing is changed."""
    run = session.newest_run(opts.domain)
    text = read_text(opts.rules) if opts.rules else session.rules_text(opts.domain)
    rules = parse_site_rules(text, opts.rules or f"site rules of {run.domain}")
    trial = try_rules(session.work(run), rules)
    rows = [asdict(one) for one in trial.effects]
    if opts.format == "table":
        rows = [{**row, "example": row["example"][:_SHOWN_CHARS]} for row in rows]
    write_listing(rows, EFFECT_COLUMNS, opts.format)
    if opts.format == "table":
        print(
            f"{format_count(trial.texts, 'text')} of the run of {run.started_at:%Y-%m-%d %H:%M} UTC; "
            f"{trial.changed:,} would be other than by the rules that it began with. Nothing was changed."
        )
    return 0
