"""Envelopes as bytes, and back: the same envelope always gives the same bytes."""

from __future__ import annotations

import json

from rori_spiders.envelope.models import Envelope


def render(envelope: Envelope) -> bytes:
    """UTF-8 JSON, two spaces of indentation, keys in the order of the model, one newline at the end."""
    return (json.dumps(envelope.model_dump(), ensure_ascii=False, indent=2) + "\n").encode()


def parse(data: bytes) -> Envelope:
    """The envelope of a file. Raises pydantic's ValidationError (a ValueError) for what is not one."""
    return Envelope.model_validate_json(data)
