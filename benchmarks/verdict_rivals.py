"""The detectors of crawl4ai and Crawlee, beside ours: read from their unpacked packages, never a dependency.

``pip download --no-deps crawl4ai crawlee`` and unpack both wheels into one folder; nothing else of them is imported.
"""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING, Any

from lxml import html as lxml_html
from lxml.cssselect import CSSSelector

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Detector = Callable[[int, str], bool]

# crawlee/sessions/_session.py, _DEFAULT_BLOCKED_STATUS_CODES (1.11)
_CRAWLEE_STATUSES = frozenset({401, 403, 429})


def rivals(folder: Path) -> dict[str, Detector]:
    """Name and detector (status and page to "blocked") of each package that lies in *folder*."""
    found: dict[str, Detector] = {}
    if (path := folder / "crawl4ai" / "antibot_detector.py").exists():
        found["crawl4ai"] = _crawl4ai(_module("antibot_detector", path))
    if (path := folder / "crawlee" / "_utils" / "blocked.py").exists():
        found["crawlee"] = _crawlee(_module("blocked", path))
    return found


def _module(name: str, path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _crawl4ai(module: Any) -> Detector:
    return lambda status, page: bool(module.is_blocked(status, page)[0])


def _crawlee(module: Any) -> Detector:
    selectors = [CSSSelector(selector) for selector in module.RETRY_CSS_SELECTORS]

    def blocked(status: int, page: str) -> bool:
        if status in _CRAWLEE_STATUSES:
            return True
        try:
            root = lxml_html.document_fromstring(page.encode())
        except (ValueError, lxml_html.etree.ParserError):
            return False
        return any(selector(root) for selector in selectors)

    return blocked
