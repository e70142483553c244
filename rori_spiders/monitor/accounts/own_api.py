"""What a person has of their own: subscriptions to changes, and tokens for the API."""

from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Path
from pydantic import BaseModel, ConfigDict, Field, StrictBool

from rori_spiders.comparison.change_description import KINDS
from rori_spiders.comparison.change_report import describe_filter
from rori_spiders.comparison.importance import Importance
from rori_spiders.exceptions import UsageError
from rori_spiders.ledger.operations import api_tokens
from rori_spiders.ledger.operations.api_tokens import MAX_DAYS, Scope
from rori_spiders.ledger.pages import subscriptions
from rori_spiders.ledger.pages.change_records import ChangeFilter
from rori_spiders.ledger.pages.subscriptions import FEED, WATCH, Schedule, Subscription
from rori_spiders.monitor.rest.errors import ApiError, invalid_input
from rori_spiders.monitor.rest.schemas import ApiModel
from rori_spiders.monitor.security.access_control import FEED_PATHS
from rori_spiders.monitor.security.permissions import Viewer
from rori_spiders.monitor.state import dependencies
from rori_spiders.monitor.state.dependencies import AppStateDep
from rori_spiders.operations.alerts.change_delivery import find_channel

router = APIRouter(prefix="/session", tags=["session"])

_Number = Annotated[int, Path(ge=1, le=2**31 - 1)]


class OwnSubscription(ApiModel):
    """A subscription to changes."""

    subscription_id: int
    schedule: Schedule
    send_to: str | None = Field(description="An e-mail address or channel; null for feeds and watch lists.")
    changes: str = Field(description="Which changes, in words.")
    high_at_once: bool
    created_at: datetime
    sent_at: datetime | None
    error: str | None = Field(description="Why the last message did not arrive.")


class SubscriptionOrder(BaseModel):
    """A subscription to make."""

    model_config = ConfigDict(extra="forbid")

    schedule: Schedule
    send_to: str | None = Field(None, max_length=200, description="For at_once, daily and weekly.")
    high_at_once: StrictBool = False
    sources: list[str] = Field([], max_length=100)
    kinds: list[Annotated[str, Field(json_schema_extra={"enum": list(KINDS)})]] = Field([], max_length=len(KINDS))
    importance: Literal["high", "medium", "low"] = Field("low", description="At least.")
    words: str = Field("", max_length=200, description="Text in URL or title.")


class MadeSubscription(ApiModel):
    """A subscription that was made."""

    subscription_id: int
    feed_path: str | None = Field(description="Of a feed, below the monitor's address; never shown again.")


class OwnToken(ApiModel):
    """A token for the API."""

    token_id: int
    label: str
    scope: Scope
    created_at: datetime
    expires_at: datetime
    revoked_at: datetime | None
    seen_at: datetime | None = Field(description="When it was used last.")


class TokenOrder(BaseModel):
    """A token to make."""

    model_config = ConfigDict(extra="forbid")

    label: str = Field(min_length=1, max_length=100, pattern=r"^[^\x00-\x1f]*[^\x00-\x20][^\x00-\x1f]*$")
    scope: Scope
    days: int = Field(90, ge=1, le=MAX_DAYS, description="How long it is valid.")


class MadeToken(ApiModel):
    """A token that was made."""

    token_id: int
    token: str = Field(description="Send as `Authorization: Bearer TOKEN`. Never shown again.")


@router.get("/subscriptions")
def list_subscriptions(person: Viewer, served: AppStateDep) -> list[OwnSubscription]:
    """List your subscriptions that have not ended."""
    with served.ledger.connect() as conn:
        return [_own_subscription(one) for one in subscriptions.list_subscriptions(conn, owner=person.name)]


@router.post("/subscriptions")
def add_subscription(order: SubscriptionOrder, person: Viewer, served: AppStateDep) -> MadeSubscription:
    """Subscribe to changes from now on. Viewers make feeds and watch lists, operators also have messages sent."""
    is_sent = order.schedule not in {FEED, WATCH}
    if unknown := [kind for kind in order.kinds if kind not in KINDS]:
        raise invalid_input([("body.kinds", f"no kind of change {unknown[0]!r}")])
    if is_sent and not person.may_act:
        raise ApiError(403, "not_allowed", "Only operators have messages sent. Make a feed or a watch list.")
    if is_sent:
        try:
            find_channel(served.settings, order.send_to or "")
        except UsageError as error:
            raise ApiError(409, "refused", f"Nothing can be sent there: {error}.") from None
    wanted = ChangeFilter(
        sources=order.sources,
        kinds=order.kinds,
        importance=int(Importance[order.importance.upper()]),
        words=order.words.strip(),
    )
    with served.ledger.begin() as conn:
        for source_id in order.sources:
            dependencies.require_known_source(conn, served, source_id)
        number, token = subscriptions.add_subscription(
            conn,
            wanted,
            schedule=order.schedule,
            send_to=order.send_to if is_sent else None,
            high_at_once=order.high_at_once and is_sent,
            actor=person.name,
            now=served.now(),
        )
    return MadeSubscription(subscription_id=number, feed_path=token and f"{FEED_PATHS}{token}.atom")


@router.post("/subscriptions/{number}/end", status_code=204)
def end_subscription(number: _Number, person: Viewer, served: AppStateDep) -> None:
    """End a subscription of yours; of a feed, its address."""
    with served.ledger.begin() as conn:
        own = {one.subscription_id for one in subscriptions.list_subscriptions(conn, owner=person.name)}
        if number not in own or not subscriptions.end_subscription(conn, number, actor=person.name, now=served.now()):
            raise ApiError(404, "unknown_subscription", f"You have no running subscription {number}.")


@router.get("/tokens")
def list_tokens(person: Viewer, served: AppStateDep) -> list[OwnToken]:
    """List your tokens for the API, also those that have ended."""
    with served.ledger.connect() as conn:
        return [OwnToken.model_validate(one) for one in api_tokens.list_tokens(conn, person.name)]


@router.post("/tokens")
def add_token(order: TokenOrder, person: Viewer, served: AppStateDep) -> MadeToken:
    """Make a token by which a program uses the API in your name, at most with your role."""
    if order.scope != "read" and not person.may_act:
        raise ApiError(403, "not_allowed", "Your role is viewer: your tokens have the scope read.")
    with served.ledger.begin() as conn:
        number, token = api_tokens.add_token(
            conn,
            person.name,
            label=order.label.strip(),
            scope=order.scope,
            days=order.days,
            actor=person.name,
            now=served.now(),
        )
    return MadeToken(token_id=number, token=token)


@router.post("/tokens/{number}/revoke", status_code=204)
def revoke_token(number: _Number, person: Viewer, served: AppStateDep) -> None:
    """Revoke a token of yours: it is refused from the next request on."""
    with served.ledger.begin() as conn:
        if not api_tokens.revoke_token(conn, number, user=person.name, actor=person.name, now=served.now()):
            raise ApiError(404, "unknown_token", f"You have no valid token {number}.")


def _own_subscription(one: Subscription) -> OwnSubscription:
    return OwnSubscription(
        subscription_id=one.subscription_id,
        schedule=one.schedule,
        send_to=one.send_to,
        changes=describe_filter(one.wanted),
        high_at_once=one.high_at_once,
        created_at=one.created_at,
        sent_at=one.sent_at,
        error=one.error,
    )
