"""The signed-in person of a request, as a dependency of endpoints."""

import hashlib
import hmac
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from rori_spiders.ledger.operations.accounts import Role
from rori_spiders.ledger.operations.api_tokens import Scope
from rori_spiders.monitor.rest.errors import ApiError


@dataclass(frozen=True, slots=True)
class Person:
    """A signed-in user. ``key``: a secret of the session, or the name given by a reverse proxy."""

    name: str
    role: Role
    key: bytes
    token_hash: str | None = None  # of the session; None: a reverse proxy names the user, or a token
    scope: Scope | None = None  # of an API token; None: a person at the page

    @property
    def csrf(self) -> str:
        """The CSRF token: bound to the session, and unknown to other sites."""
        return hmac.new(self.key, b"csrf", hashlib.sha256).hexdigest()

    @property
    def may_act(self) -> bool:
        """Whether this person is an operator, and not held to less by a token's scope."""
        return self.role == "operator" and self.scope in {None, "operate"}

    @property
    def may_review(self) -> bool:
        """Whether this person may decide about changes."""
        return self.may_act or (self.role == "operator" and self.scope == "review")


def _require_viewer(request: Request) -> Person:
    person: Person | None = request.scope["state"].get("person")
    if person is None:  # the gate has not let anybody in: never without it
        raise ApiError(401, "not_signed_in", "Sign in first.")
    return person


def _require_operator(request: Request) -> Person:
    person = _require_viewer(request)
    if not person.may_act:
        raise refuse_action(person)
    return person


def _require_reviewer(request: Request) -> Person:
    person = _require_viewer(request)
    if not person.may_review:
        raise refuse_action(person)
    return person


def refuse_action(person: Person) -> ApiError:
    """Why somebody may not act."""
    if person.role == "operator":
        return ApiError(403, "not_allowed", f"A token of the scope {person.scope!r} may not do this.")
    return ApiError(403, "not_allowed", "Only operators may do this. Your role is viewer.")


#: Parameter of endpoints that need a signed-in user.
Viewer = Annotated[Person, Depends(_require_viewer)]
#: Parameter of endpoints that need an operator.
Operator = Annotated[Person, Depends(_require_operator)]
#: Parameter of endpoints by which operators, and tokens of the scope `review`, decide about changes.
Reviewer = Annotated[Person, Depends(_require_reviewer)]
