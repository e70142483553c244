"""How many requests may be under way."""

from collections.abc import Mapping
from typing import Any

from rori_spiders.ledger.queue.permits import PermitLimits


def permit_limits(settings: Mapping[str, Any]) -> PermitLimits:
    """As the operator sets them: those of this machine, and of all that share the ledger."""
    names = ("RORI_MAX_CONCURRENT_REQUESTS", "RORI_FLEET_MAX_CONCURRENT_REQUESTS")
    return PermitLimits(*(int(settings.get(name, 0)) for name in names))
