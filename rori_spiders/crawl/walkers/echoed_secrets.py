"""Secrets on their way back: a page that repeats one is not kept, a URL that holds one is not asked for.

The text of a page is never altered, so a page with a secret of ours in it can only be left out as a whole.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from rori_spiders.content.convert import Converted
from rori_spiders.crawl.job.job import Job
from rori_spiders.items import FrontierUrl, PageItem
from rori_spiders.reasons import Reason, ReasonCode
from rori_spiders.runtime.redaction import Redactor, contains_any
from rori_spiders.workers.pool import LARGE_BYTES

_ECHOED = Reason(ReasonCode.SECRET_ECHOED)


async def withhold_echo(job: Job, item: PageItem) -> bool:
    """Whether the response of *item* repeats a secret, in whatever usual spelling; a page then fails.

    A sitemap is only read: the caller forgets its bytes when that is done.
    """
    facts = item.fetched
    if facts is None:
        return False
    headers = {name: [job.redactor.known(value) for value in values] for name, values in facts.headers.items()}
    if headers != facts.headers:
        item.fetched = replace(facts, headers=headers)
    for body in (facts.body, facts.raw or b""):
        found = await repeats_secret_bytes(job, body)
        if found and item.visit.kind == "page":
            withhold_response(item)
        if found:
            item.is_withheld = True
            return True
    return False


async def repeats_secret_bytes(job: Job, body: bytes) -> bool:
    """Whether *body* repeats a secret, in whatever usual spelling."""
    needles = job.redactor.needles()
    if len(body) <= LARGE_BYTES:  # 0.2 ms at most; to a worker and back takes more
        return contains_any(body, needles)
    return await job.workers.run(len(body), contains_any, body, needles) if needles else False


def repeats_secret(converted: Converted, redactor: Redactor) -> bool:
    """Whether a page, once read, repeats a secret: markup and documents may hide it in bytes of their own."""
    texts = (converted.markdown, converted.html, converted.title, *_envelope_texts(converted))
    return any(redactor.in_text(text) for text in texts if text)


def _envelope_texts(converted: Converted) -> Iterator[str | None]:
    """What is read off the markup and stands in the envelope beside the text."""
    metadata, hidden = converted.metadata, converted.hints.hidden
    yield from (metadata.title, metadata.description, metadata.author, metadata.canonical_url, *metadata.keywords)
    yield from (metadata.og_title, metadata.og_description, metadata.og_image, metadata.robots)
    yield from (dated.source for dated in metadata.dates)
    yield from (part.anchor for part in converted.outline)
    yield hidden.begins if hidden else None


def withhold_response(item: PageItem) -> None:
    """Fail *item* as `secret_echoed`; of its response remain status and headers."""
    item.state, item.reason, item.converted = "failed", _ECHOED, None
    discard_body(item)
    if item.attempts:
        item.attempts = (*item.attempts[:-1], replace(item.attempts[-1], reason=_ECHOED))


def discard_body(item: PageItem) -> None:
    """Let go of the bytes received: none of them is kept as evidence."""
    if item.fetched is not None:
        item.fetched = replace(item.fetched, body=b"", raw=None)


def without_secrets(urls: Iterable[str], redactor: Redactor) -> tuple[str, ...]:
    """Those of *urls* that may be recorded as they are."""
    return tuple(url for url in urls if redactor.url(url) == url)


def split_secret_urls(visits: Iterable[FrontierUrl], redactor: Redactor) -> tuple[list[FrontierUrl], list[FrontierUrl]]:
    """*visits* that may be asked for, and those whose addresses hold a secret."""
    open_ones: list[FrontierUrl] = []
    secret: list[FrontierUrl] = []
    for visit in visits:
        (open_ones if redactor.url(visit.url) == visit.url else secret).append(visit)
    return open_ones, secret
