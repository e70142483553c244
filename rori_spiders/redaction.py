"""The one redactor: what must not be seen is replaced before anything is logged, stored, staged or shown."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MASK = "[redacted]"

_SECRET_HEADERS = frozenset(
    {"authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key", "api-key", "x-auth-token"}
)
# Environment variables whose value is a secret, by their name.
_SECRET_NAME = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL)", re.IGNORECASE)
_USERINFO = re.compile(r"(?<=://)[^/@\s]+@")
_SECRET_PARAMETER = re.compile(
    r"((?:^|[?&;])(?:api[_-]?key|access[_-]?token|token|key|password|secret|signature)=)[^&#\s]+", re.IGNORECASE
)


class Redactor:
    """Replaces known secret values, credentials in URLs and secret query parameters by ``[redacted]``."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        # Longest first, so that a secret that contains another leaves nothing behind.
        self._secrets = sorted({secret for secret in secrets if len(secret) >= 6}, key=len, reverse=True)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ, also: Iterable[str] = ()) -> Redactor:
        """A redactor of every value whose variable's name says that it is a secret."""
        named = (value for name, value in environment.items() if _SECRET_NAME.search(name))
        return cls([*named, *also])

    def text(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, MASK)
        return _SECRET_PARAMETER.sub(rf"\1{MASK}", _USERINFO.sub(f"{MASK}@", text))

    def headers(self, headers: Mapping[str, list[str]]) -> dict[str, list[str]]:
        return {
            name: [MASK] if name.lower() in _SECRET_HEADERS else [self.text(value) for value in values]
            for name, values in headers.items()
        }
