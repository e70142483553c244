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
    if start_is_outside(source):
        yield (
            "include_patterns",
            f"none matches the start URL's {own}; it is collected all the same, but are its pages under these?",
        )
    matching = exclude_start(source)
    for one in config.exclude_patterns:
        if one in config.include_patterns:
            yield "exclude_patterns", f"{one} is also in include_patterns: nothing is left of it"
        elif one in matching:
            yield "exclude_patterns", f"{one} matches the start URL's {own}, which is collected all the same"


def start_is_outside(source: Source) -> bool:
    """Whether the source has include_patterns, and none of them matches its start URL."""
    own, included = path_and_query(normalise(source.url)), source.scrape_config.include_patterns
    return bool(included) and not any(Glob(one).matches(own) for one in included)


def exclude_start(source: Source) -> list[str]:
    """Those of its exclude_patterns that match its start URL."""
    own = path_and_query(normalise(source.url))
    return [one for one in source.scrape_config.exclude_patterns if Glob(one).matches(own)]
