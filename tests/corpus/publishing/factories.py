"""Documents of a small site, staged as objects; and what a version must be when it is looked at from outside."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from rori_spiders.corpus.documents import document
from rori_spiders.corpus.publishing.version_manifest import Rights
from rori_spiders.corpus.publishing.version_plan import Entry, PublishRequest
from rori_spiders.urls.canonical import url_hash

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rori_spiders.staging.store import Store

DOMAIN = "www.acme.com"
NOW = datetime(2026, 11, 23, 12, 0, tzinfo=UTC)
LATEST = f"domains/{DOMAIN}/corpora/latest.json"
#: Nine pages: three of them are a third.
SITE = {name: f"# {name.title()}\n\nWhat Acme says of {name}." for name in "abcdefghi"}
RUN, OTHER = "1" * 36, "2" * 36


def entry(store: Store, name: str, text: str, rights: Rights | None = None) -> Entry:
    """The page *name* of the site, its file among the objects."""
    url = f"https://{DOMAIN}/{name}"
    doc_id = f"web_{url_hash(url)[:8]}_{name}"
    made = document.build_document(
        text,
        title=name.title(),
        description=None,
        language="en",
        source_url=url,
        source_subtype="web_page",
        doc_id=doc_id,
        run_id=RUN,
    )
    digest = store.put_object(document.format_document(made).encode())
    raw = sha256(text.encode()).hexdigest()
    front = made.front
    return Entry(doc_id, url, front.title, digest, front.content_hash, raw, front.page_id, rights or Rights())


def entries(store: Store, site: Mapping[str, str] = SITE) -> list[Entry]:
    return [entry(store, name, text) for name, text in site.items()]


def request(run_id: str | None = RUN, **given: Any) -> PublishRequest:
    said = {"domain": DOMAIN, "published_by": "bob", "run_id": run_id, "approved_by": "ann", "approved_at": NOW}
    return PublishRequest(**{**said, **given})


def is_whole(store: Store, version: int) -> dict[str, Any]:
    """The manifest of a version whose every file is there with its hash, and beside which nothing lies."""
    prefix = f"domains/{DOMAIN}/corpora/v{version}"
    manifest: dict[str, Any] = json.loads(store.domains.read(f"{prefix}/manifest.json"))
    others = (manifest[name] for name in ("chunks", "chunk_table", "references"))
    files = (*manifest["pages"], *manifest["tombstones"], *others)
    named = {one["path"]: one["sha256"] for one in files}
    for path, digest in named.items():
        assert sha256(store.domains.read(f"{prefix}/{path}")).hexdigest() == digest
    lying = {path.removeprefix(f"{prefix}/") for path in store.domains.paths(prefix)}
    assert lying == {*named, "manifest.json"}
    return manifest


def latest(store: Store) -> dict[str, Any]:
    """The manifest of the version that `latest` names, which is whole."""
    pointer = json.loads(store.domains.read(LATEST))
    data = store.domains.read(pointer["manifest"])
    assert sha256(data).hexdigest() == pointer["manifest_sha256"]
    manifest = is_whole(store, pointer["version"])
    assert manifest["version"] == pointer["version"]
    return manifest


def names(parts: Sequence[Mapping[str, Any]], key: str = "doc_id") -> list[str]:
    return [str(one[key]).rpartition("_")[2] for one in parts]
