"""The settings as they hold: each with its value and origin, or only those that differ from their defaults.

Secrets are masked. The defaults are those of `rori_spiders.settings`; a project's own module may change any of them.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict

from rori_spiders.configuration import env_file
from rori_spiders.configuration.setting_types import MAY_HOLD_SECRETS, SECRET_VARIABLES, SETTING_TYPES
from rori_spiders.configuration.setting_values import CMDLINE_PRIORITY, DEFAULTS, setting_origin, unknown_variables
from rori_spiders.evidence.delivery.destinations import show_url, split_destinations
from rori_spiders.runtime.redaction import MASK, get_redactor

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from types import ModuleType

    from scrapy.settings import BaseSettings

Origin = Literal["command line", "environment", ".env", "settings module"]
#: Scrapy's priority of a settings module.
_PROJECT = 20
#: Of other packages' settings, those that may hold a key or a password.
_SECRET_NAME = re.compile(r"KEY|SECRET|PASS|TOKEN|AUTH|CREDENTIAL")


class SettingDifference(BaseModel):
    """A setting that has not its default."""

    model_config = ConfigDict(frozen=True)

    setting: str
    value: str
    #: None: there is none, as of a key.
    default: str | None
    origin: Origin


class UnknownSetting(BaseModel):
    """A name that begins as ours do and means nothing."""

    model_config = ConfigDict(frozen=True)

    setting: str
    origin: Origin
    #: The known name that is nearest, if one is near.
    near: str | None


class UnreadVariable(BaseModel):
    """A line of ``.env`` that does not count: another program than `rori` runs, or the environment has the name."""

    model_config = ConfigDict(frozen=True)

    setting: str
    reason: str


class SettingsDifferences(BaseModel):
    """What ``scrapy doctor --diff-settings`` reports."""

    model_config = ConfigDict(frozen=True)

    #: None: no ``scrapy.cfg`` here or in a folder above.
    scrapy_cfg: str | None
    settings_module: str
    settings_file: str | None
    env_file: str | None
    differences: tuple[SettingDifference, ...]
    unknown: tuple[UnknownSetting, ...]
    unread: tuple[UnreadVariable, ...]


def effective_settings(settings: BaseSettings, environment: Mapping[str, str]) -> list[dict[str, Any]]:
    """Each setting as it holds, and where from; secrets are masked, those of the environment only named as set."""
    rows: list[dict[str, Any]] = [
        {
            "setting": name,
            "value": mask_value(name, str(settings.get(name))),
            "origin": setting_origin(name, settings, environment),
        }
        for name in SETTING_TYPES
    ]
    rows += [
        {"setting": name, "value": MASK, "origin": "environment"}
        for name in sorted(SECRET_VARIABLES)
        if environment.get(name, "").strip()
    ]
    return rows


def mask_value(name: str, value: str) -> str:
    """*value* without secrets; of the address of a webhook the path may be one."""
    if name == "RORI_ALERT_URLS":  # each service keeps its tokens in another place of the address
        schemes = [one.strip().partition("://")[0] for one in value.split(",") if one.strip()]
        return ",".join(f"{scheme}://{MASK}" for scheme in schemes)
    if name == "RORI_EVIDENCE_HEADS":
        return ",".join(show_url(one) for one in split_destinations(value))
    parts = urlsplit(value)
    if name in MAY_HOLD_SECRETS and parts.scheme in {"http", "https"}:
        return f"{parts.scheme}://{parts.hostname}{f':{parts.port}' if parts.port else ''}/{MASK}"
    return get_redactor().text(value)


def list_differences(
    settings: BaseSettings,
    cfg: str,
    module: ModuleType,
    defaults: Mapping[str, Any],
    *,
    also: Collection[str] = (),
) -> SettingsDifferences:
    """What differs from *defaults*, those of `rori_spiders.settings`, in *settings*, which *module* was read for.

    *cfg* is the path of ``scrapy.cfg``; *also* are variables that the manifest takes its headers from.
    """
    file = env_file.env_file_path(cfg)
    listed = env_file.read_env_file(file)
    return SettingsDifferences(
        scrapy_cfg=cfg or None,
        settings_module=module.__name__,
        settings_file=module.__file__,
        env_file=str(file) if file.is_file() else None,
        differences=(*_differences(settings, defaults), *_secrets_set()),
        unknown=tuple(_unknown(settings, module, listed, also)),
        unread=tuple(_unread(listed)),
    )


def _differences(settings: BaseSettings, defaults: Mapping[str, Any]) -> Iterator[SettingDifference]:
    for name in sorted({*SETTING_TYPES, *filter(str.isupper, map(str, settings))} - {"SETTINGS_MODULE"}):
        priority = settings.getpriority(name) or 0
        is_unknown = name.startswith("RORI_") and name not in SETTING_TYPES
        if priority < _PROJECT or is_unknown:
            continue
        default = DEFAULTS[name] if name in DEFAULTS else defaults.get(name)
        for part, value, standard in _parts(settings.get(name), default):
            if value != standard and (name not in SETTING_TYPES or _read(name, value) != standard):
                yield SettingDifference(
                    setting=f"{name}{part}",
                    value=_show(name, value),
                    default=None if standard is None else _show(name, standard),
                    origin=_origin(name, priority),
                )


def _parts(value: Any, default: Any) -> Iterator[tuple[str, Any, Any]]:
    """A setting, or each entry of one that is a mapping: what is added to its name, the value and the default."""
    if not hasattr(value, "keys"):
        yield "", value, default
        return
    standard = {str(key): default[key] for key in default} if hasattr(default, "keys") else {}
    new = {str(key): value[key] for key in value}
    for key in sorted({*new, *standard}):
        yield f"[{key}]", new.get(key), standard.get(key)


def _show(name: str, value: Any) -> str:
    is_secret = name not in SETTING_TYPES and _SECRET_NAME.search(name)
    return MASK if is_secret and value else mask_value(name, str(value))


def _origin(name: str, priority: int) -> Origin:
    if priority >= CMDLINE_PRIORITY:
        return "command line"
    if os.environ.get(name, "").strip() and name in SETTING_TYPES:
        return _variable_origin(name)
    return "settings module"


def _variable_origin(name: str) -> Origin:
    return ".env" if name in env_file.LOADED else "environment"


def _read(name: str, value: Any) -> Any:
    try:
        return SETTING_TYPES[name].read(str(value).strip())
    except ValueError:
        return value


def _secrets_set() -> Iterator[SettingDifference]:
    for name in sorted(SECRET_VARIABLES):
        if os.environ.get(name, "").strip():
            yield SettingDifference(setting=name, value=MASK, default=None, origin=_variable_origin(name))


def _unknown(
    settings: BaseSettings, module: ModuleType, listed: Mapping[str, str], also: Collection[str]
) -> Iterator[UnknownSetting]:
    places: dict[str, Origin] = dict.fromkeys(vars(module), "settings module")
    places |= {str(name): "command line" for name in settings if settings.getpriority(name) == CMDLINE_PRIORITY}
    places |= dict.fromkeys(listed, ".env")
    places |= {name: _variable_origin(name) for name in os.environ}
    for name, near in unknown_variables(dict.fromkeys(places, ""), also).items():
        yield UnknownSetting(setting=name, origin=places[name], near=near)


def _unread(listed: Mapping[str, str]) -> Iterator[UnreadVariable]:
    for name, value in listed.items():
        if name in env_file.LOADED or os.environ.get(name) == value:
            continue
        reason = (
            "the environment has another value, which wins"
            if name in os.environ
            else "only `rori` reads .env: run `rori` instead of `scrapy`, or export it"
        )
        yield UnreadVariable(setting=name, reason=reason)
