"""JSON as the API sends it: whatever text came from outside can be sent."""

from __future__ import annotations

import json
from typing import Any

from fastapi.responses import JSONResponse


class Json(JSONResponse):
    """A lone surrogate, which is a character to Python and to the ledger but none to UTF-8, becomes a question mark."""

    def render(self, content: Any) -> bytes:
        text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return text.encode("utf-8", "replace")
