"""GET /api/session: who is signed in."""

from __future__ import annotations

from fastapi import APIRouter

from rori_spiders import __version__
from rori_spiders.monitor.answers.session import Instance, Session
from rori_spiders.monitor.guards.people import Viewer  # noqa: TC001  # FastAPI reads annotations when it runs
from rori_spiders.monitor.served import Serving  # noqa: TC001

router = APIRouter(tags=["session"])


@router.get("/session")
def session(person: Viewer, served: Serving) -> Session:
    """Who is signed in, what they may do, and the token that their actions need."""
    places = served.places
    instance = Instance(
        ledger=places.shown_ledger, staging=str(served.store.location), manifest_fixed=bool(places.manifests)
    )
    return Session(
        user=person.name,
        role=person.role,
        csrf=person.csrf,
        operator_may=person.may_act,
        has_password=person.token_hash is not None,
        version=__version__,
        instance=instance,
    )
