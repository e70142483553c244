"""What a conversion costs, for the limits of the pool."""

from rori_spiders.content.documents.office_package import unpacked_bytes


def conversion_weight(body: bytes) -> int:
    """What the pool is to reckon with for *body*, bytes."""
    return max(len(body), unpacked_bytes(body))  # an Office file costs what it unpacks to
