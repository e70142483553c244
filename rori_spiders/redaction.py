"""The one redactor: what must not be seen is replaced before anything is logged, stored, staged or shown."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING
from urllib.parse import quote, quote_plus

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MASK = "[redacted]"
#: Shorter values are words that stand in any text: replacing them would say more than it hides.
_SHORTEST = 6

_SECRET_HEADER = re.compile(
    r"authorization|cookie|(api|access|auth|subscription)-?key|token|secret|passw|credential", re.IGNORECASE
)
# Environment variables whose value is a secret, by their name.
_SECRET_NAME = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL)", re.IGNORECASE)
# Up to the authority's last @: passwords hold @ as well.
_USERINFO = re.compile(r"(?<=://)[^/?#\s]+@")
_SECRET_PARAMETER = re.compile(
    r"((?:^|[?&;#])(?:[\w.-]*[-_])?"
    r"(?:api[-_]?key|key|token|secret|password|passwd|signature|sig|credential|auth|jwt)=)[^&#\s]+",
    re.IGNORECASE,
)


class Redactor:
    """Replaces known secret values, credentials in URLs and secret query parameters by ``[redacted]``."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._secrets: list[str] = []
        for secret in secrets:
            self.learn(secret)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ, also: Iterable[str] = ()) -> Redactor:
        """A redactor of every value whose variable's name says that it is a secret."""
        named = (value for name, value in environment.items() if _SECRET_NAME.search(name))
        return cls([*named, *also])

    def learn(self, secret: str) -> None:
        """Replace *secret* from now on, also as a URL spells it. Values of under 6 characters are left alone."""
        if len(secret) < _SHORTEST:
            return
        spellings = {secret, quote(secret), quote(secret, safe=""), quote_plus(secret)}
        # Longest first, so that a secret that contains another leaves nothing behind.
        self._secrets = sorted({*self._secrets, *spellings}, key=len, reverse=True)

    def text(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, MASK)
        return _SECRET_PARAMETER.sub(rf"\1{MASK}", _USERINFO.sub(f"{MASK}@", text))

    def headers(self, headers: Mapping[str, list[str]]) -> dict[str, list[str]]:
        return {
            name: [MASK] if _SECRET_HEADER.search(name) else [self.text(value) for value in values]
            for name, values in headers.items()
        }
