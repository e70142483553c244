"""What the steps of a run work with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rori_spiders.corpus.site_rules import SiteRules

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
    from datetime import datetime

    from rori_spiders.corpus.rewriting.kept import Asked
    from rori_spiders.crawl.adhoc.messages import FetchedPage, PageNotFetched
    from rori_spiders.fields.cache import FolderCache
    from rori_spiders.ledger.corpus.run_states import CorpusRun
    from rori_spiders.ledger.database import Ledger
    from rori_spiders.llm.client import ModelClient
    from rori_spiders.manifest.models import Source
    from rori_spiders.staging.store import Store

    #: Fetches these URLs through the gates of a collection, each with what became of it, as it comes.
    Fetch = Callable[[Sequence[str]], AsyncIterator[FetchedPage | PageNotFetched]]
    #: Maps the site of a run that no source has: rows for ``ledger.corpus.pages.add``.
    Map = Callable[[CorpusRun], Awaitable[list[Mapping[str, Any]]]]


@dataclass(frozen=True)
class Work:
    """One run, and what it is worked on with. ``model``: None without one; so are ``fetch`` and ``map``.

    ``answers``: what the model was asked before; None: all is asked.
    """

    run: CorpusRun
    ledger: Ledger
    store: Store
    sources: Mapping[str, Source]  # of the run, by id
    now: Callable[[], datetime]
    rules: SiteRules = field(default_factory=SiteRules)  # as they were read when the run began
    model: ModelClient | None = None
    answers: FolderCache[Asked] | None = None
    fetch: Fetch | None = None
    map: Map | None = None

    def text(self, digest: str) -> str:
        """The text of an object. Raises StagingError."""
        return self.store.get_object(digest).decode()

    def put(self, text: str) -> str:
        """Keep *text* as an object; its hash."""
        return self.store.put_object(text.encode())
