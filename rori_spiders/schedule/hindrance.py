"""What keeps a source from being started by a schedule: its manifest, its breaker, a person; or a pause of all."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rori_spiders.manifest.models import Source
    from rori_spiders.schedule.interval import State


def hindrance(source: Source, state: State | None, everything: State | None = None) -> str | None:
    """Why no schedule starts this source, in words for a person; None when nothing does.

    What the manifest says wins: it is the reviewed file, and ``resume`` cannot change it. Then the source's own pause;
    then that of *everything* (None: not all are paused).
    """
    if source.status == "paused":
        return "the manifest pauses it (status: paused)"
    if source.status == "retired":
        return "the manifest has retired it (status: retired)"
    if source.status == "proposed":
        return "the manifest only proposes it (status: proposed); set it to active once it is reviewed"
    if state is not None and state.paused_by:
        who = "the breaker, after too many failed runs in a row," if state.paused_by == "breaker" else "a person"
        return f"{who} paused it{_when(state, 'on')}"
    if everything is not None and everything.paused_by:
        return all_paused(everything)
    return None


def all_paused(everything: State) -> str:
    """``all sources are paused since 2026-11-22 15:00 UTC: the network is being moved``."""
    return f"all sources are paused{_when(everything, 'since')}"


def _when(state: State, word: str) -> str:
    when = f" {word} {state.paused_at.astimezone(UTC):%Y-%m-%d %H:%M} UTC" if state.paused_at else ""
    return when + (f": {state.paused_reason}" if state.paused_reason else "")
