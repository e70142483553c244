"""Mask what may be secret in a manifest: values of headers and sign-ins, except names of variables."""

from typing import Any

from rori_spiders.runtime.redaction import MASK

#: Keys of a source that may have secret values.
_MAY_BE_SECRET = frozenset({"custom_headers", "auth_config"})


def mask_secrets(fields: Any) -> Any:
    """Mask the texts below such keys in *fields* (JSON)."""
    if isinstance(fields, dict):
        return {key: _mask_texts(one) if key in _MAY_BE_SECRET else mask_secrets(one) for key, one in fields.items()}
    return [mask_secrets(one) for one in fields] if isinstance(fields, list) else fields


def mask_field(name: str, value: Any) -> Any:
    """Mask the value of a field with a dotted name."""
    parts = name.split(".")
    return _mask_texts(value) if _MAY_BE_SECRET.intersection(parts) and parts[-1] != "env" else value


def _mask_texts(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: one if key == "env" else _mask_texts(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_mask_texts(one) for one in value]
    return MASK if isinstance(value, str) else value
