"""The signed-in person of a request, as a dependency of endpoints."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from fastapi import Depends, Request

from rori_spiders.monitor.rest.errors import ApiError

if TYPE_CHECKING:
    from rori_spiders.ledger.operations.accounts import Role


@dataclass(frozen=True, slots=True)
class Person:
    """A signed-in user. ``key``: a secret of the session, or the name given by a reverse proxy."""

    name: str
    role: Role
    key: bytes
    token_hash: str | None = None  # of the session; None: a reverse proxy names the user

    @property
    def csrf(self) -> str:
        """The CSRF token: bound to the session, and unknown to other sites."""
        return hmac.new(self.key, b"csrf", hashlib.sha256).hexdigest()

    @property
    def may_act(self) -> bool:
        """Whether this person is an operator."""
        return self.role == "operator"


def _require_viewer(request: Request) -> Person:
    person: Person | None = request.scope["state"].get("person")
    if person is None:  # the gate has not let anybody in: never without it
        raise ApiError(401, "not_signed_in", "Sign in first.")
    return person


def _require_operator(request: Request) -> Person:
    person = _require_viewer(request)
    if not person.may_act:
        raise ApiError(403, "not_allowed", "Only operators may do this. Your role is viewer.")
    return person


#: Parameter of endpoints that need a signed-in user.
Viewer = Annotated[Person, Depends(_require_viewer)]
#: Parameter of endpoints that need an operator.
Operator = Annotated[Person, Depends(_require_operator)]
