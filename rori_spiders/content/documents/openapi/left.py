"""An object of the file while it is written: each key is taken once, and what no one took is shown as it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rori_spiders.content.documents.openapi.values import Value

_FALSE = {"false", "0", "no", "off", ""}


class Left:
    """The keys of one object that nobody has shown yet. What has another type than expected stays, and is shown."""

    def __init__(self, value: Value) -> None:
        self.keys: dict[str, Value] = dict(value) if isinstance(value, dict) else {}

    def text(self, key: str) -> str:
        """A scalar as written; "" when there is none."""
        value = self.keys.get(key)
        if isinstance(value, dict | list) or key not in self.keys:
            return ""
        return shown(self.keys.pop(key))

    def words(self, key: str) -> str:
        """Text for people; "" for none."""
        return str(self.keys.pop(key)) if isinstance(self.keys.get(key), str) else ""

    def flag(self, key: str) -> bool:
        """A yes or no, in any of the ways in which people write it; False when there is none."""
        return self.text(key).lower() not in _FALSE

    def object(self, key: str) -> dict[str, Value]:
        value = self.keys.get(key)
        if not isinstance(value, dict):
            return {}
        del self.keys[key]
        return value

    def objects(self, key: str) -> list[dict[str, Value]]:
        """An array of objects; one that holds anything else stays."""
        value = self.keys.get(key)
        if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
            return []
        del self.keys[key]
        return [each for each in value if isinstance(each, dict)]

    def scalars(self, key: str) -> list[str]:
        """An array of scalars, or one scalar, as written."""
        value = self.keys.get(key)
        given = value if isinstance(value, list) else [value]
        if key not in self.keys or any(isinstance(each, dict | list) for each in given):
            return []
        del self.keys[key]
        return [shown(each) for each in given]

    def any(self, key: str) -> Value:
        return self.keys.pop(key, None)


def shown(value: Value) -> str:
    """A scalar in the characters of the file."""
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else str(value)
