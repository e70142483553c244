"""Patterns that cannot do what they were written for, as far as the manifest alone tells: worth a look, no error.

In: a catalogue. Out: sentences. The start URL is always in scope, so a source with such patterns is collected.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.manifest.scope import Glob
from rori_spiders.urls import normalise, path_and_query

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rori_spiders.manifest.catalog import Catalog
    from rori_spiders.manifest.models import Source


def doubts(catalog: Catalog) -> Iterator[str]:
    """One sentence for each, with file, source and JSON path."""
    for loaded in catalog.loaded:
        for index, source in enumerate(loaded.manifest.sources):
            if source.method == "crawl" and source.status != "retired":
                for key, what in _of(source):
                    place = f"$.sources[{index}].scrape_config.{key}"
                    yield f"{loaded.origin}: source {source.id!r} (sources[{index}]): {place}: {what}"


def _of(source: Source) -> Iterator[tuple[str, str]]:
    config, own = source.scrape_config, path_and_query(normalise(source.url))
    included, excluded = config.include_patterns, config.exclude_patterns
    if included and not any(Glob(one).matches(own) for one in included):
        yield (
            "include_patterns",
            f"none matches the start URL's {own}; it is collected all the same, but are its pages under these?",
        )
    for one in excluded:
        if one in included:
            yield "exclude_patterns", f"{one} is also in include_patterns: nothing is left of it"
        elif Glob(one).matches(own):
            yield "exclude_patterns", f"{one} matches the start URL's {own}, which is collected all the same"
