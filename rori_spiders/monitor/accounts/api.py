"""The session API: who is signed in, and changing the password."""

from typing import Literal

from fastapi import APIRouter, Request
from pydantic import Field

from rori_spiders import __version__
from rori_spiders.ledger.operations import accounts, activity_log
from rori_spiders.monitor.rest.errors import ApiError, invalid_input
from rori_spiders.monitor.rest.schemas import ApiModel
from rori_spiders.monitor.security import passwords
from rori_spiders.monitor.security.permissions import Viewer
from rori_spiders.monitor.state.dependencies import AppStateDep
from rori_spiders.runtime.redacted_output import started_program


class Instance(ApiModel):
    """The installation that this monitor shows."""

    ledger: str = Field(description="Address of the ledger, without its password.")
    staging: str = Field(description="Location of the staging area.")
    manifest_fixed: bool = Field(
        description="True when RORI_MANIFEST names the sources; manifests cannot be activated here then."
    )


class Session(ApiModel):
    """The signed-in user, and the CSRF token of the page's actions."""

    user: str
    role: Literal["viewer", "operator"]
    csrf: str = Field(description="Send as X-CSRF-Token with every request other than GET.")
    operator_may: bool = Field(description="True for operators, who may act; false for viewers.")
    has_password: bool = Field(description="False when a reverse proxy signs users in.")
    version: str = Field(description="Version of this program.")
    program: str = Field(description="How it was started, `scrapy` or `rori`: commands in the page begin with it.")
    instance: Instance


class PasswordChange(ApiModel):
    """The current and the new password."""

    old: str = Field(max_length=256)
    new: str = Field(max_length=1000, description="15 to 256 characters.")


# /api/v1/session: the signed-in user and their password.

router = APIRouter(tags=["session"])


@router.get("/session")
def get_session(person: Viewer, served: AppStateDep) -> Session:
    """Return the signed-in user, their role, and the CSRF token for their actions."""
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
        program=started_program(),
        instance=instance,
    )


@router.post("/session/password", status_code=204)
def change_password(change: PasswordChange, request: Request, person: Viewer, served: AppStateDep) -> None:
    """Change the password of the signed-in user. Their other sessions end."""
    if person.token_hash is None:
        raise ApiError(409, "refused", "A reverse proxy signs you in, so this monitor does not store your password.")
    request.app.state.sign_in.check(person.name, change.old, request.state.visitor.address, where="old")
    if why := passwords.password_problem(change.new, person.name):
        raise invalid_input([("new", why)], why)
    password_hash, now = passwords.hash_password(change.new), served.now()
    with served.ledger.begin() as conn:
        accounts.set_password(conn, person.name, password_hash, now=now, keep=person.token_hash)
        activity_log.record_action(
            conn, now=now, actor=person.name, action="set_password", target=f"user:{person.name}"
        )
