"""What keeps a version from being begun: documents that are not what is said of them, pages whose publishers forbid it,
a site so changed that a person must look. Everything is found before anything is written.
"""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from rori_spiders.corpus.documents.document import NotADocument, content_hash, read
from rori_spiders.exceptions import DamagedObject, PublishingRefused
from rori_spiders.staging.transfer import CONCURRENT_COPIES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rori_spiders.corpus.publishing.entries import Entry, Request
    from rori_spiders.corpus.publishing.standing import Standing
    from rori_spiders.corpus.publishing.version import Manifest
    from rori_spiders.staging.store import Store

#: Of a version's pages; the issue's own figure: more than that is a site redesigned, not a site that changed.
REDESIGNED = 1 / 3


def judge(store: Store, request: Request, entries: Sequence[Entry], before: Standing) -> None:
    """Raise PublishingRefused with all that is wrong with *entries*. StagingError when nothing can be read."""
    if request.base_version not in {None, before.version}:
        raise PublishingRefused(
            f"version {before.version} was published since version {request.base_version}, which this was made from: "
            "begin another run"
        )
    if not entries:
        raise PublishingRefused("it has no page: nothing would be left of the corpus")
    with ThreadPoolExecutor(CONCURRENT_COPIES, thread_name_prefix="judging") as threads:
        wrong = [one for some in threads.map(lambda entry: _wrong(store, entry), entries) for one in some]
    problems = [*_doubled(entries), *wrong, *forbidden(entries), *_redesign(request, entries, before.manifest)]
    if problems:
        raise PublishingRefused(*problems)


def forbidden(entries: Sequence[Entry]) -> list[str]:
    """A sentence for each that may not be published."""
    return [
        f"{one.url} may not be published: {'; '.join(one.rights.reasons)}"
        for one in entries
        if one.rights.verdict == "forbidden"
    ]


def turnover(entries: Sequence[Entry], former: Manifest) -> tuple[int, int]:
    """How many pages of *former* have another text in *entries*, and how many are not there."""
    now = {one.doc_id: one.content_hash for one in entries}
    changed = sum(one.doc_id in now and now[one.doc_id] != one.content_hash for one in former.pages)
    return changed, sum(one.doc_id not in now for one in former.pages)


def _redesign(request: Request, entries: Sequence[Entry], former: Manifest | None) -> list[str]:
    if former is None or not former.pages or request.reason:
        return []
    changed, gone = turnover(entries, former)
    if changed + gone <= len(former.pages) * REDESIGNED:
        return []
    told = f"of {len(former.pages)} pages {changed} have changed and {gone} are gone, more than a third"
    return [f"{told}: was the site redesigned? Look at what it has become, then publish with a reason"]


def _doubled(entries: Sequence[Entry]) -> list[str]:
    ids = Counter(one.doc_id.casefold() for one in entries)
    urls = Counter(one.url for one in entries)
    told = [f"{number} documents have the doc_id {name}" for name, number in ids.items() if number > 1]
    return told + [f"{number} documents are of {url}" for url, number in urls.items() if number > 1]


def _wrong(store: Store, entry: Entry) -> list[str]:
    try:
        data = store.get_object(entry.object)
    except FileNotFoundError:
        return [f"{entry.doc_id}: its file, the object {entry.object}, is missing"]
    except DamagedObject as error:
        return [f"{entry.doc_id}: {error}"]
    try:
        document = read(data.decode())
    except (NotADocument, UnicodeDecodeError) as error:
        return [f"{entry.doc_id}: its file is no document: {error}"]
    front = document.front
    said = {"doc_id": front.doc_id, "source_url": front.source_url, "content_hash": front.content_hash}
    wanted = {"doc_id": entry.doc_id, "source_url": entry.url, "content_hash": entry.content_hash}
    differing = [name for name in said if said[name] != wanted[name]]
    problems = [f"{entry.doc_id}: its file says {said[name]} for {name}, not {wanted[name]}" for name in differing]
    if content_hash(front.title, front.description, document.body) != front.content_hash:
        problems.append(f"{entry.doc_id}: its content_hash is not that of its text")
    return problems
