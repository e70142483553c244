"""Answers of models, cached in a folder: each question once, by text, prompt and model. The cache also documents
how a value came about.  ``ab/{key}.json``: an answer, immutable. ``ab/{key}.failed.json``: the last failure; it
is replaced, and never served as an answer.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Generic, TypeVar
from uuid import uuid4

from pydantic import ValidationError

from rori_spiders.exceptions import WriteError
from rori_spiders.fields.records import CachedAnswer

T = TypeVar("T", bound=CachedAnswer)


class FolderCache(Generic[T]):
    """A cache of records of the pydantic model *kind* in the folder *root*, which is created on first use."""

    def __init__(self, root: Path, kind: type[T]) -> None:
        self._root = root
        self._kind = kind

    def get(self, key: str) -> T | None:
        """Return the answer stored under *key*; None when there is none or its file is damaged."""
        try:
            return self._kind.model_validate_json(self._path(key, "json").read_bytes())
        except (FileNotFoundError, ValidationError):
            return None
        except OSError as error:
            raise WriteError(
                f"the cache of model answers cannot be read: {error}; check RORI_EXTRACTION_CACHE_DIR"
            ) from None

    def put(self, exchange: T) -> None:
        """Store *exchange*, atomically. Raises WriteError."""
        path = self._path(exchange.key, "failed.json" if exchange.failed else "json")
        temporary = path.with_name(f".{uuid4().hex}.tmp")
        try:
            path.parent.mkdir(mode=0o770, parents=True, exist_ok=True)
            with temporary.open("xb") as file:
                file.write(exchange.model_dump_json(indent=1).encode("utf-8", "surrogatepass") + b"\n")
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        except OSError as error:
            temporary.unlink(missing_ok=True)
            raise WriteError(
                f"an answer of the model cannot be cached: {error}; check RORI_EXTRACTION_CACHE_DIR"
            ) from None

    def remove(self, key: str) -> None:
        """Forget what is stored under *key*. Raises WriteError."""
        try:
            self._path(key, "json").unlink(missing_ok=True)
        except OSError as error:
            raise WriteError(
                f"the cache of model answers cannot be written: {error}; check RORI_EXTRACTION_CACHE_DIR"
            ) from None

    def _path(self, key: str, ending: str) -> Path:
        return self._root / key[:2] / f"{key}.{ending}"
