"""Who is told of what: the web hook of staged envelopes. Nothing is sent to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.announcing.hook import Hook
from rori_spiders.doctor.fetching import unreached
from rori_spiders.doctor.patient import Finding
from rori_spiders.ledger import announcements

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rori_spiders.doctor.patient import Patient


def web_hook(patient: Patient) -> Iterator[Finding]:
    """Its secret, whether its server takes connections, and how many envelopes it has not taken yet."""
    hook = Hook.from_settings(patient.settings.get("RORI_ON_STAGED"))
    if hook is None:
        yield Finding("web hook", "ok", "none is set (RORI_ON_STAGED)")
        return
    waiting = 0
    if patient.ledger is not None:
        with patient.ledger.connect() as conn:
            waiting = announcements.count(conn)
    found = f"{hook.place}, {waiting} envelopes wait to be announced"
    if problem := unreached(hook.url):
        do = "Is its receiver running? What waits is announced by the next job, or the dispatcher, that reaches it."
        yield Finding("web hook", "failed", f"{found}; {problem}", do)
    else:
        yield Finding("web hook", "ok", f"{found}; it takes connections")
