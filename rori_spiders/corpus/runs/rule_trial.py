"""Try site rules before they hold: what each removes, repairs and flags in the texts of a run, beside its own rules.

Nothing is written. Only the cleaning is tried; which pages belong to the corpus is decided by `triage` in a run.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial

from rori_spiders.corpus.cleaning.boilerplate import count_boilerplate
from rori_spiders.corpus.cleaning.cleaner import Draft, clean_body
from rori_spiders.corpus.runs.run import RunContext
from rori_spiders.corpus.site_rules import SiteRules
from rori_spiders.ledger.corpus import run_pages

#: Characters of a block that are shown.
_EXAMPLE_CHARS = 200


@dataclass(slots=True)
class RuleEffect:
    """What one rule does in the texts. ``binds``: blocks that may bind; ``before``: blocks by the run's own rules.

    ``operation`` is that of the cleaning, or ``flag``.
    """

    operation: str
    rule: str
    pages: int = 0
    blocks: int = 0
    binds: int = 0
    before: int = 0
    example: str = ""
    url: str = ""


@dataclass(slots=True)
class RuleTrial:
    """The effects, and how many of the texts come out differently than by the run's own rules."""

    effects: list[RuleEffect] = field(default_factory=list)
    texts: int = 0
    changed: int = 0


def try_rules(work: RunContext, rules: SiteRules) -> RuleTrial:
    """Clean the texts of the run's included pages by *rules*, and by its own. Raises StagingError."""
    rows = work.ledger.read(partial(run_pages.list_pages, run_id=work.run.run_id, decision="include"))
    rows = [row for row in rows if row.raw_object is not None]
    counted = count_boilerplate((row.url, work.text(row.raw_object)) for row in rows)
    trial = RuleTrial(texts=len(rows))
    effects: dict[tuple[str, str], RuleEffect] = {}
    for row in rows:
        text = work.text(row.raw_object)
        by = partial(clean_body, text, url=row.url, title=row.title or "", boilerplate=counted)
        new, old = by(rules=rules), by(rules=work.rules)
        trial.changed += new.body != old.body
        _add_page(effects, row.url, new)
        for operation, rule, _, _ in _applied(old):
            effects.setdefault((operation, rule), RuleEffect(operation, rule)).before += 1
    trial.effects = sorted(effects.values(), key=lambda one: (-one.blocks, one.operation, one.rule))
    return trial


def _add_page(effects: dict[tuple[str, str], RuleEffect], url: str, draft: Draft) -> None:
    applied = set()
    for operation, rule, text, binds in _applied(draft):
        effect = effects.setdefault((operation, rule), RuleEffect(operation, rule))
        effect.blocks += 1
        effect.binds += binds
        # An example of what may bind is worth more than any other.
        if not effect.example or (binds and effect.binds == 1):
            effect.example, effect.url = " ".join(text.split())[:_EXAMPLE_CHARS], url
        applied.add((operation, rule))
    for key in applied:
        effects[key].pages += 1


def _applied(draft: Draft) -> Iterator[tuple[str, str, str, bool]]:
    """Operation, rule, text, and whether that may be binding, of all that the cleaning did or flagged."""
    for removal in draft.removals:
        yield removal.operation, removal.rule, removal.text, removal.binds is not None
    for repair in draft.repairs:
        yield repair.operation, repair.rule, repair.before, False
    for flag in draft.flags:
        yield "flag", flag.name, flag.evidence, False
