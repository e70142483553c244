"""What a source's patterns do with the pages that are known: those that match nothing are worth a look. A step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.manifest.patterns import exclude_start, start_is_outside
from rori_spiders.manifest.scope import Glob
from rori_spiders.urls import normalise, path_and_query

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rori_spiders.manifest.models import Source


def doubts(source: Source, urls: Iterable[str]) -> Iterator[str]:
    """In sentences: patterns that match none of *urls* (normalised, the start left out), a start URL outside them."""
    config = source.scrape_config
    start = normalise(source.url)
    known = [path_and_query(url) for url in urls if url != start]
    for field, patterns in (
        ("include_patterns", config.include_patterns),
        ("exclude_patterns", config.exclude_patterns),
    ):
        for pattern in patterns:
            glob = Glob(pattern)
            if not any(map(glob.matches, known)):
                yield f"{field}: {pattern} matches no page that is known so far"
    if start_is_outside(source):
        yield "the start URL lies outside include_patterns: it is collected all the same"
    for pattern in exclude_start(source):
        yield f"the start URL is matched by exclude_patterns: {pattern}: it is collected all the same"
