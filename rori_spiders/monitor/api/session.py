"""/api/session: who is signed in, and their password."""

from __future__ import annotations

from fastapi import APIRouter, Request

from rori_spiders import __version__
from rori_spiders.ledger import actions, users
from rori_spiders.monitor.answers.session import Instance, PasswordChange, Session
from rori_spiders.monitor.errors import Refused, invalid
from rori_spiders.monitor.guards import passwords
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


@router.post("/session/password", status_code=204)
def change_password(change: PasswordChange, request: Request, person: Viewer, served: Serving) -> None:
    """Another password for whoever is signed in. Their other sessions end."""
    if person.token_hash is None:
        raise Refused(409, "refused", "A reverse proxy signs you in: your password is not kept here.")
    request.app.state.sign_in.check(person.name, change.old, request.state.visitor.address, where="old")
    if why := passwords.objection(change.new, person.name):
        raise invalid([("new", why)], why)
    kept, now = passwords.hashed(change.new), served.now()
    with served.ledger.begin() as conn:
        users.set_password(conn, person.name, kept, now=now, keep=person.token_hash)
        actions.record(conn, now=now, actor=person.name, action="set_password", target=f"user:{person.name}")
