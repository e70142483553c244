"""Who is signed in, and to what."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from rori_spiders.monitor.answers.base import Answer


class Instance(Answer):
    """What this monitor shows."""

    ledger: str = Field(description="Where the ledger is, without a password.")
    staging: str = Field(description="Where staged files are.")
    manifest_fixed: bool = Field(description="Whether RORI_MANIFEST names the sources: nothing is activated here.")


class Session(Answer):
    """The person who asks, and what the page needs to act for them."""

    user: str
    role: Literal["viewer", "operator"]
    csrf: str = Field(description="To be sent as X-CSRF-Token with everything that is not GET.")
    operator_may: bool = Field(description="Whether this person may act, and not only look.")
    has_password: bool = Field(description="False where a reverse proxy signs people in: there is none to change here.")
    version: str = Field(description="Of this program.")
    instance: Instance


class PasswordChange(Answer):
    """What changes a password."""

    old: str = Field(max_length=256)
    new: str = Field(max_length=1000, description="15 characters at least, 256 at most.")
