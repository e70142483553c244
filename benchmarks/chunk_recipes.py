"""Run the recipes of docs/how-to/load-chunks.md as they stand: `python -m benchmarks.chunk_recipes [qdrant ...]`.

Two versions of a small corpus are published, of which the second has one paragraph changed, one document new and one
removed. Each recipe loads the first, the first again, the second, and the second again, in an environment that pip
makes below build/benchmarks; printed is how many chunks it added, updated and removed. PGVECTOR_DSN is the DSN of a
database with the extension, OPENSEARCH_URL the URL of a server; without them these two are left out.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.rivals.environments import make_environment
from rori_spiders.corpus.documents.document import build_document, format_document
from rori_spiders.corpus.loader.chunk_changes import chunk_changes
from rori_spiders.corpus.loader.source import open_version
from rori_spiders.corpus.publishing.publisher import publish_version
from rori_spiders.corpus.publishing.version_manifest import Rights
from rori_spiders.corpus.publishing.version_plan import Entry, PublishRequest
from rori_spiders.ledger.database import open_ledger
from rori_spiders.staging.store_factory import DiskStore
from rori_spiders.urls.canonical import url_hash

_ROOT = Path(__file__).parents[1]
_GUIDE = _ROOT / "docs" / "how-to" / "load-chunks.md"
_DOMAIN = "www.ecfr.gov"
_RECIPES = {
    "pgvector": ("psycopg[binary]",),
    "Qdrant": ("qdrant-client",),
    "Chroma": ("chromadb",),
    "LanceDB": ("lancedb", "pyarrow"),
    "OpenSearch": ("opensearch-py",),
}
_BEFORE = """
import sys
from hashlib import shake_256
sys.path += {paths!r}

def embed(texts):
    return [[byte / 255 for byte in shake_256(text.encode()).digest(256)] for text in texts]

"""
_AFTER = "\nprint(len(changes.new), len(changes.updated), len(changes.removed))\n"


def read_recipes(guide: str) -> dict[str, str]:
    """The code of each recipe by its heading; that before the first heading stands in each."""
    first, *sections = re.split(r"^## ", guide, flags=re.MULTILINE)
    common = "\n".join(re.findall(r"```python\n(.*?)```", first, re.DOTALL))
    code = {section.partition("\n")[0]: re.findall(r"```python\n(.*?)```", section, re.DOTALL) for section in sections}
    return {name: "\n".join((common, *blocks)) for name, blocks in code.items() if blocks}


def publish_two_versions(folder: Path) -> None:
    """Publish both versions in *folder*/staging."""
    law = [f"({letter}) *Rule {letter}.* " + f"What {letter} asks of a lender. " * 30 for letter in "abcde"]
    first = {"law": "\n\n".join(["# 12 CFR Part 1024", "## § 1024.5 Duties.", *law]), "old": "# Old\n\nA page."}
    law[1] = law[1].replace("asks", "wants often")
    second = {"law": "\n\n".join(["# 12 CFR Part 1024", "## § 1024.5 Duties.", *law]), "new": "# New\n\nA page."}
    now = datetime.now(UTC)
    ledger, store = open_ledger(f"sqlite:///{folder}/ledger.db"), DiskStore(folder / "staging")
    for number, site in enumerate((first, second), 1):
        entries = [_entry(store, name, text) for name, text in site.items()]
        request = PublishRequest(
            domain=_DOMAIN, published_by="bob", run_id=None, approved_by="ann", approved_at=now, reason=f"v{number}"
        )
        publish_version(ledger, store, request, entries, now=now)
    ledger.close()


def _entry(store: DiskStore, name: str, text: str) -> Entry:
    url = f"https://{_DOMAIN}/current/title-12/{name}"
    doc_id = f"web_{url_hash(url)[:8]}_{name}"
    made = build_document(
        text, title=name, description=None, language="en", source_url=url, source_subtype="web_page", doc_id=doc_id,
        run_id="1" * 36,
    )  # fmt: skip
    digest = store.put_object(format_document(made).encode())
    return Entry(doc_id, url, name, digest, made.front.content_hash, None, None, Rights())


def run_recipe(name: str, code: str, folder: Path) -> list[str]:
    """The counts of each of four loads."""
    python, versions = make_environment(f"recipe_{name.lower()}", _RECIPES[name])
    print(f"{name} ({versions})", flush=True)
    code = code.replace("dbname=corpus", os.environ.get("PGVECTOR_DSN", ""))
    code = code.replace("http://localhost:9200", os.environ.get("OPENSEARCH_URL", ""))
    counts = []
    for version in ("v1", "v1", "v2", "v2"):
        script = _BEFORE.format(paths=[str(_ROOT), *sys.path]) + code.replace('/corpora"', f'/corpora/{version}"')
        done = subprocess.run([python, "-c", script + _AFTER], cwd=folder, capture_output=True, text=True, check=False)
        counts.append(done.stdout.strip() if not done.returncode else done.stderr.strip()[-600:])
    return counts


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the recipes; 1 when one did not do what it must."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("recipes", nargs="*", metavar="RECIPE", help=", ".join(_RECIPES))
    opts = parser.parse_args(arguments)
    needed = {"pgvector": "PGVECTOR_DSN", "OpenSearch": "OPENSEARCH_URL"}
    names = opts.recipes or [name for name in _RECIPES if os.environ.get(needed.get(name, "PATH"))]
    recipes = read_recipes(_GUIDE.read_text("utf-8"))
    failed = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        publish_two_versions(folder)
        source = str(folder / "staging" / "domains" / _DOMAIN / "corpora")
        first, second = (open_version(f"{source}/v{number}", _DOMAIN) for number in (1, 2))
        new = chunk_changes(first, {}).new
        later = chunk_changes(second, {one.id: one.content_hash for one in new})
        wanted = [f"{len(new)} 0 0", "0 0 0", " ".join(str(len(one)) for one in later), "0 0 0"]
        for name in names:
            counts = run_recipe(name, recipes[name], folder)
            failed += counts != wanted
            print(f"  {', '.join(counts)}: {'as it must be' if counts == wanted else f'must be {wanted}'}", flush=True)
    return int(failed > 0)


if __name__ == "__main__":
    raise SystemExit(main())
