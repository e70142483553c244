"""What another manifest in force ends, in words: how many sources are no longer collected, and which."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from rori_spiders.manifest.loading import packaged_path
from rori_spiders.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rori_spiders.manifest.versions import Ending

_WIDTH = 100


def print_endings(endings: Sequence[Ending] | None, *, would: bool = False) -> None:
    """Print what ends; *would*: once the manifest is activated. None: it cannot be told."""
    if endings is None:
        print("What was in force is not valid for this version: which of its sources end cannot be told.")
        return
    for one in endings:
        print(_said(one, would=would))
        ids = ", ".join(source.id for source in one.sources)
        print(textwrap.indent(textwrap.fill(ids, _WIDTH, break_on_hyphens=False), "  ")) if ids else None
        if one.whole and one.manifest.origin == "packaged":
            print(
                f"{one.manifest.name} came with the collector, and is in force only as long as no manifest is "
                f"activated. To collect it as well: scrapy manifest activate {packaged_path(one.manifest.name)}"
            )


def _said(one: Ending, *, would: bool) -> str:
    many, name = len(one.sources), one.manifest.name
    what = f"No longer collected{' once this is activated' if would else ''}: {counted(many, 'source')} of {name}"
    return f"{what}, which {'ends' if would else 'has ended'}{':' if many else '.'}" if one.whole else f"{what}:"
