"""The severity of a failed page, by its verdict."""

from __future__ import annotations

from typing import Final, Literal

Severity = Literal["high", "warning", "info"]

#: Refused, or not there: what opens an alert of that severity where it is a start URL (``reviews/events.py``).
HIGH_VERDICTS: Final = ("captcha", "challenge", "denied", "filtered", "login_wall", "not_found", "parked", "soft_404")
#: What passes by itself, as a rule: the next run asks again. So does no answer at all, which has no verdict.
INFO_VERDICTS: Final = ("maintenance", "rate_limited", "server_error")
#: SQL of a page that ended failed, as the indexes for such pages have it.
FAILED_PAGE: Final = "state = 'failed' AND kind = 'page'"
SEVERITIES: Final[tuple[Severity, ...]] = ("high", "warning", "info")


def severity_of(verdict: str | None) -> Severity:
    """The severity of a failure with this verdict (None: there was no answer to judge)."""
    if verdict in HIGH_VERDICTS:
        return "high"
    return "info" if verdict is None or verdict in INFO_VERDICTS else "warning"


def severity_condition(severity: Severity) -> str:
    """SQL that holds for failed pages of this severity, word for word as in the index for them."""
    high, info = (", ".join(f"'{one}'" for one in some) for some in (HIGH_VERDICTS, INFO_VERDICTS))
    return {
        "high": f"{FAILED_PAGE} AND verdict IN ({high})",
        "warning": f"{FAILED_PAGE} AND verdict NOT IN ({high}, {info})",  # NULL is in none of the lists, nor outside
        "info": f"{FAILED_PAGE} AND (verdict IS NULL OR verdict IN ({info}))",
    }[severity]
