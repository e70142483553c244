"""Drawings kept in a folder: each once, by text, fields, prompt and model. They prove how a value came about.

``ab/{key}.json``: what was drawn, immutable. ``ab/{key}.failed.json``: the last time that the model did not answer; it
is replaced, and never taken for an answer.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING
from uuid import uuid4

from pydantic import ValidationError

from rori_spiders.exceptions import WriteError
from rori_spiders.fields.drawing import Drawing

if TYPE_CHECKING:
    from pathlib import Path


class FolderCache:
    """The drawings below *root*, which is made when it is first needed."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def get(self, key: str) -> Drawing | None:
        """What was drawn under *key*; None when nothing was, or the file is damaged: then it is drawn anew."""
        try:
            return Drawing.model_validate_json(self._path(key, "json").read_bytes())
        except (FileNotFoundError, ValidationError):
            return None
        except OSError as error:
            raise WriteError(f"the folder of drawings cannot be read: {error}") from None

    def put(self, drawing: Drawing) -> None:
        """Keep *drawing*. It appears whole or not at all. Raises WriteError."""
        path = self._path(drawing.key, "json" if drawing.state == "drawn" else "failed.json")
        temporary = path.with_name(f".{uuid4().hex}.tmp")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with temporary.open("xb") as file:
                file.write(drawing.model_dump_json(indent=1).encode("utf-8", "surrogatepass") + b"\n")
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        except OSError as error:
            temporary.unlink(missing_ok=True)
            raise WriteError(f"what was drawn cannot be kept: {error}") from None

    def _path(self, key: str, ending: str) -> Path:
        return self._root / key[:2] / f"{key}.{ending}"
