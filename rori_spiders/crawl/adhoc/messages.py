"""Messages between a program and its fetching process: one JSON object per line over a pipe.

To the process: ``FetchRequest``, ``PageConsumed``, ``StopFetch``. From it: ``FetchedPage`` or ``PageNotFetched`` for
each URL, then ``FetchDone``, which is the last of a fetch. ``fetch_id`` tells those apart that are under way at once.
"""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from rori_spiders.manifest.vocabulary import Tier

#: The longest line, bytes: more than the text of the longest body that a server may send, escaped.
LINE_BYTES = 512 * 1024 * 1024
#: Pages in one fetch where nobody says how many, and links from its start.
MAX_PAGES = 50
MAX_DEPTH = 3
MAX_PAGES_AHEAD = 5


class _Message(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    fetch_id: int


class FetchRequest(_Message):
    """A fetch: one page, or a site from *url* on, breadth first."""

    kind: Literal["wanted"] = "wanted"
    url: str
    follow: bool = False
    #: Tiers to try in this order; None: as for any source.
    tiers: tuple[Tier, ...] | None = None
    max_pages: int = Field(MAX_PAGES, ge=1)
    max_depth: int = Field(MAX_DEPTH, ge=0, le=20)
    #: Words: pages whose addresses have them are asked first.
    keywords: tuple[str, ...] = ()
    #: Pages asked for and not yet taken: so far it goes ahead of who reads them.
    ahead: int = Field(MAX_PAGES_AHEAD, ge=1, le=100)
    #: Whether pages are read for what they state of their place and use; each is parsed once more for that.
    with_statements: bool = False


class PageConsumed(_Message):
    """A page was read: another may be asked for; *keywords* is what the next ones are to have in their addresses."""

    kind: Literal["taken"] = "taken"
    keywords: tuple[str, ...] | None = None


class StopFetch(_Message):
    """No more pages are wanted of this fetch: what waits ends as excluded, for this reason."""

    kind: Literal["stop"] = "stop"
    reason: str


class FetchedPage(_Message):
    """A page that a verdict called content, as markdown."""

    kind: Literal["page"] = "page"
    url: str
    final_url: str
    title: str | None
    body: str
    #: As the page itself states them.
    description: str | None = None
    language: str | None = None
    published: str | None = None  # a day, YYYY-MM-DD
    #: The same, if the request is ``with_statements``.
    breadcrumbs: tuple[str, ...] = ()
    rights: str | None = None
    supersedes: str | None = None
    #: Hex SHA-256 of *body*, as in the ledger.
    content_hash: str
    tier: str
    status: int
    at: datetime
    depth: int


class PageNotFetched(_Message):
    """A URL that gave no page: excluded, failed or gone, and why."""

    kind: Literal["not_page"] = "not_page"
    url: str
    state: str
    reason: str
    tier: str | None = None
    status: int | None = None
    verdict: str | None = None
    depth: int = 0


class FetchDone(_Message):
    """The end of a fetch. ``complete``: every URL came to its end; ``refused``: it was not begun; ``stopped``."""

    kind: Literal["done"] = "done"
    state: Literal["complete", "stopped", "refused"]
    reason: str = ""


WorkerMessage = Annotated[FetchedPage | PageNotFetched | FetchDone, Field(discriminator="kind")]
ClientMessage = Annotated[FetchRequest | PageConsumed | StopFetch, Field(discriminator="kind")]
WORKER_MESSAGE: TypeAdapter[WorkerMessage] = TypeAdapter(WorkerMessage)
CLIENT_MESSAGE: TypeAdapter[ClientMessage] = TypeAdapter(ClientMessage)


def encode_message(message: BaseModel) -> bytes:
    """*message* as it is sent. JSON escapes what would end a line."""
    return message.model_dump_json().encode("utf-8", "surrogatepass") + b"\n"
