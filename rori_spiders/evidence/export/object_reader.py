"""Objects and envelopes of the staging area for an export: what is damaged is not there, and is named."""

from hashlib import sha256

from rori_spiders.exceptions import DamagedObject
from rori_spiders.staging.store import Store


class ObjectReader:
    """Reads what an export holds. *damaged*: what was there, but not with the hash that the ledger has of it."""

    def __init__(self, store: Store) -> None:
        self.damaged: set[str] = set()  # hashes of objects, paths of envelopes
        self._store = store

    def load_object(self, digest: str) -> bytes | None:
        """The bytes with this hash; None where there are none. Raises StagingError."""
        try:
            return self._store.get_object(digest)
        except FileNotFoundError:
            return None
        except DamagedObject:
            self.damaged.add(digest)
            return None

    def load_envelope(self, path: str, file_hash: str) -> bytes | None:
        """The bytes of an envelope; None where there are none with this hash. Raises StagingError."""
        try:
            data = self._store.read(path)
        except FileNotFoundError:
            return None
        if sha256(data).hexdigest() != file_hash:
            self.damaged.add(path)
            return None
        return data
