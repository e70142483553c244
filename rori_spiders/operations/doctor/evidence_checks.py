"""Check the signed heads: is there a key, is the last head young, does each destination have it? Nothing is sent."""

from collections.abc import Iterator

from rori_spiders.configuration.locations import evidence_key_file, timestamp_roots_file
from rori_spiders.evidence.delivery.destinations import parse_destinations
from rori_spiders.evidence.keys import load_keys
from rori_spiders.evidence.timestamps import load_roots
from rori_spiders.exceptions import UsageError
from rori_spiders.ledger.audit import head_log
from rori_spiders.ledger.audit.head_log import DestinationState, StoredHead
from rori_spiders.operations.doctor.checks import CheckContext, CheckResult

_GUIDE = "docs/how-to/prove-the-record.md"


def check_evidence(context: CheckContext) -> Iterator[CheckResult]:
    """Without a key there are no heads, which is advice and no fault."""
    try:
        keys = load_keys(evidence_key_file(context.settings, context.cfg))
        load_roots(timestamp_roots_file(context.settings, context.cfg))
        destinations = parse_destinations(
            str(context.settings.get("RORI_EVIDENCE_HEADS") or ""),
            retention_days=context.settings.getint("RORI_EVIDENCE_RETENTION_DAYS"),
        )
    except UsageError as error:
        yield CheckResult("signed heads", "failed", str(error), "Correct it. Until then jobs sign no heads.")
        return
    newest, states = _load_state(context)
    if not keys.signing and newest is not None:
        found = f"no key signs them on this machine; the last is of {newest.at:%Y-%m-%d %H:%M} UTC"
        yield CheckResult("signed heads", "failed", found, f"Restore the key, or create one ({_GUIDE}).")
        return
    if not keys.signing:
        found = "none: no key signs them, so that anyone who can write to the ledger can also rewrite its log of facts"
        yield CheckResult("signed heads", "ok", found, f"Advice: `scrapy evidence key create NAME` ({_GUIDE}).")
        return
    key = f"{keys.origin}, key {' and '.join(one.verifier.key_id.hex() for one in keys.signing)}"
    if not destinations:
        found = f"{key}; no copy leaves the ledger: a head proves nothing against anyone who can write there"
        yield CheckResult("signed heads", "warning", found, f"Set RORI_EVIDENCE_HEADS ({_GUIDE}).")
        return
    failing = [one.name for one in destinations if one.name in states and states[one.name].error is not None]
    if failing:
        problems = "; ".join(f"{name}: {states[name].error}" for name in failing)
        do = "Mend what it says, then `scrapy evidence sign` sends them again."
        yield CheckResult("signed heads", "failed", f"{key}; not accepted by {problems}", do)
    else:
        last = f"the last of {newest.at:%Y-%m-%d %H:%M} UTC, {newest.size} leaves" if newest else "none yet"
        yield CheckResult("signed heads", "ok", f"{key}; {last}; goes to {', '.join(one.name for one in destinations)}")


def _load_state(context: CheckContext) -> tuple[StoredHead | None, dict[str, DestinationState]]:
    """The last head, and how far each destination has them."""
    if context.ledger is None:
        return None, {}
    with context.ledger.connect() as conn:
        return head_log.last_head(conn), head_log.destination_states(conn)
