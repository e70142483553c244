"""``scrapy changes noise``: noise lines proposed from changes, and what they would have done to past ones."""

import sys
from collections.abc import Callable, Collection

from rori_spiders.comparison.change_log import present_lines
from rori_spiders.comparison.noise_proposal import NoiseProposal, proposal_document, propose_noise_lines
from rori_spiders.comparison.version_diff import TextArchive
from rori_spiders.ledger.database import Ledger
from rori_spiders.manifest.catalog import Catalog
from rori_spiders.runtime.plurals import format_count
from rori_spiders.runtime.redacted_output import name_program
from rori_spiders.staging.store import Store
from rori_spiders.terminal.listing import Column, write_details, write_listing

_COLUMNS = (
    Column("change", "id"),
    Column("captured_at", "captured (UTC)"),
    Column("was", "was"),
    Column("importance", "would be"),
    Column("figures", "figures", width=60),
    Column("sentence", "change", width=120),
)


def print_proposal(
    ledger: Ledger, store: Store, catalog: Callable[[], Catalog], chosen: Collection[tuple[int, int]], form: str
) -> int:
    """Print the manifest lines to add, their effect on past changes, and each of these."""
    archive = TextArchive(ledger, store, catalog)
    proposal = propose_noise_lines(archive, chosen)
    document = proposal_document(proposal, present_lines(archive, proposal.source_id))
    if form == "json":
        write_details(document, form)
        return 0
    for line in proposal.left:
        sys.stdout.write(f"No noise line for {line}.\n")
    if not proposal.lines:
        sys.stdout.write(name_program("Nothing to propose. `scrapy changes rules` lists what ranks low already.\n"))
        return 0
    sys.stdout.write(
        f"For `scrape_config` of {proposal.source_id}, once somebody has reviewed it (nothing holds yet):\n\n"
        f"    {document['manifest']}\n\n{_describe_effect(proposal)}\n"
    )
    if proposal.effects:
        rows = ({**effect, "figures": _describe_figures(effect["figures"])} for effect in document["effects"])
        write_listing(rows, _COLUMNS)
    return 0


def _describe_figures(figures: list[list[str | None]]) -> str:
    return ", ".join(" → ".join(side or "none" for side in figure) for figure in figures)


def _describe_effect(proposal: NoiseProposal) -> str:
    silenced, lower = len(proposal.silenced), len(proposal.effects) - len(proposal.silenced)
    compared = format_count(proposal.compared, "change")
    effect = f"Of the last {compared} above low importance of this source, {silenced} would rank low"
    if lower:
        effect += f", {lower} lower than now"
    if proposal.compared < proposal.past:
        effect += f"; {proposal.past - proposal.compared} older ones were not compared"
    lines = [f"{effect}."]
    if proposal.with_figures:
        lines.append(
            f"Warning: in {len(proposal.with_figures)} of them figures, dates or citations changed. Read these first."
        )
    lines.append("A line in which `not`, `must`, `may` or another word that binds came or went is never noise.")
    return "\n".join(lines)
