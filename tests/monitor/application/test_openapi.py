"""The page's types are those of the API as it is."""

from __future__ import annotations

import json
from typing import Any

from rori_spiders.monitor.application import openapi
from tests.house.code import PACKAGE


def _without_version(document: dict[str, Any]) -> dict[str, Any]:
    return {**document, "info": {**document["info"], "version": ""}}


def test_openapi_document_needs_no_server_and_file_of_page_is_current() -> None:
    document = openapi.openapi_document()
    assert "/api/v1/session" in document["paths"]
    assert "HTTPValidationError" not in document["components"]["schemas"], "refusals have one form"
    written = json.loads((PACKAGE / "monitor" / "web" / "openapi.json").read_text(encoding="utf-8"))
    assert _without_version(written) == _without_version(document), "the API changed: make types"
