"""Manifests to start tests from: the smallest source, and ways to load it."""

from __future__ import annotations

import json
from typing import Any

from rori_spiders.manifest.loading import LoadedManifest, parse_manifest


def source(**changes: Any) -> dict[str, Any]:
    """The smallest valid source, with changes."""
    return {
        "id": "cfpb-reg-x",
        "name": "CFPB Regulation X",
        "url": "https://www.consumerfinance.gov/rules-policy/regulations/1024/",
        "domain": "consumerfinance.gov",
        "jurisdiction": "federal",
        "source_type": "regulation",
        "method": "crawl",
        "status": "active",
        **changes,
    }


def manifest(*sources: dict[str, Any], **top: Any) -> dict[str, Any]:
    return {"version": "1.0.0", **top, "sources": list(sources or [source()])}


def load(*sources: dict[str, Any], name: str = "test", allowed: tuple[str, ...] = (), **top: Any) -> LoadedManifest:
    """A manifest of these sources, as if read from a file."""
    text = json.dumps(manifest(*sources, **top))
    return parse_manifest(text, name=name, origin=f"{name}.json", allowed_addresses=allowed)
