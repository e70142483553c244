"""A number for each of very many URLs, in 16 bytes a URL where a dict of Python takes 200. A step."""

#: Hex digits that name a shard, and of those behind them so many as are kept: 132 bits of 256 tell URLs apart.
_SHARD_DIGITS = 3
_DIGEST_DIGITS = 30
_DIGEST_BYTES = _DIGEST_DIGITS // 2


class UrlHashTable:
    """Numbers by the hash of a URL (``canonical.url_hash``); *number_bytes* is how many bytes a number takes.

    A million entries make shards of 244, which are searched from front to back: a microsecond each.
    """

    def __init__(self, number_bytes: int = 1) -> None:
        self._number_bytes = number_bytes
        self._width = _DIGEST_BYTES + number_bytes
        self._shards: dict[str, bytearray] = {}
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def __contains__(self, key: str) -> bool:
        return self._find(key) >= 0

    def get(self, key: str) -> int | None:
        """The number of *key*; None where it has none."""
        at = self._find(key)
        if at < 0:
            return None
        shard = self._shards[key[:_SHARD_DIGITS]]
        return int.from_bytes(shard[at + _DIGEST_BYTES : at + self._width])

    def set(self, key: str, number: int = 0) -> None:
        """Give *key* this *number*. Raises OverflowError for one that does not fit."""
        value, at = number.to_bytes(self._number_bytes), self._find(key)
        shard = self._shards.setdefault(key[:_SHARD_DIGITS], bytearray())
        if at < 0:
            shard += _digest(key) + value
            self._length += 1
        else:
            shard[at + _DIGEST_BYTES : at + self._width] = value

    def _find(self, key: str) -> int:
        """Where the entry of *key* begins in its shard; -1: it has none."""
        shard = self._shards.get(key[:_SHARD_DIGITS])
        if shard is None:
            return -1
        digest = _digest(key)
        at = shard.find(digest)
        while at > 0 and at % self._width:  # the end of one entry and the beginning of the next
            at = shard.find(digest, at + 1)
        return at


def _digest(key: str) -> bytes:
    return bytes.fromhex(key[_SHARD_DIGITS : _SHARD_DIGITS + _DIGEST_DIGITS])
