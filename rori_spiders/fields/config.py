"""Configuration of field extraction from Python: S2's settings with defaults.

In: overrides. Out: a ``ScraperConfig``. Raises ConfigError that names every problem.
"""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator
from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings, Settings

from rori_spiders.configuration.setting_values import apply_setting_types
from rori_spiders.crawl.adhoc.messages import MAX_DEPTH, MAX_PAGES
from rori_spiders.exceptions import ConfigError

Backend = Literal["http", "browser"]
#: What the project's settings have, too; the browser's own is longer.
TIMEOUT_MS = 30_000
_NAMES = {"llm_url": "RORI_LLM_URL", "model": "RORI_LLM_MODEL", "chunk_token_threshold": "RORI_LLM_CHUNK_TOKENS"}
_CONCURRENCY: dict[Backend, int] = {"http": 5, "browser": 3}


class ScraperConfig(BaseModel):
    """Settings of S2 for one scraper. None: the project's setting applies (docs/reference/settings.md)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    #: First tier (S2): the default tier order, cheapest first, or Chromium alone.
    backend: Backend = "http"
    #: Concurrent pages; None: 5, with the browser 3.
    max_concurrent: int | None = Field(None, ge=1, le=10)
    #: Timeout of one request to a server, in milliseconds.
    timeout: int = Field(TIMEOUT_MS, ge=1_000, le=600_000)
    max_pages: int = Field(MAX_PAGES, ge=1, le=10_000)
    max_depth: int = Field(MAX_DEPTH, ge=0, le=20)
    llm_url: str | None = None
    model: str | None = None
    #: Empty: the keys of RORI_LLM_KEYS.
    api_keys: tuple[SecretStr, ...] = ()
    chunk_token_threshold: int | None = Field(None, ge=256, le=100_000)
    #: The most that the calls of this scraper may cost, by the prices of the settings; None: the monthly budget alone.
    max_usd: float | None = Field(None, gt=0)
    input_format: Literal["markdown"] = "markdown"
    headless: bool = True
    stealth: bool = False

    @field_validator("stealth")
    @classmethod
    def _no_disguise(cls, value: bool) -> bool:
        if value:
            raise ValueError(
                "not supported: the collector identifies itself on every request and never disguises itself"
            )
        return value

    @field_validator("headless")
    @classmethod
    def _no_window(cls, value: bool) -> bool:
        if not value:
            raise ValueError(
                "not supported: the browser runs without a window; `scrapy shell URL` shows a page as collected"
            )
        return value

    @property
    def at_once(self) -> int:
        """Number of pages fetched and sent to the model concurrently."""
        return self.max_concurrent or _CONCURRENCY[self.backend]


def load_config(**overrides: Any) -> ScraperConfig:
    """Return the defaults, changed by *overrides*. Raises ConfigError that names every problem."""
    try:
        return ScraperConfig(**overrides)
    except ValidationError as error:
        problems = [
            f"{'.'.join(map(str, one['loc']))}: {one['msg'].removeprefix('Value error, ')}"
            for one in error.errors(include_input=False)
        ]
        raise ConfigError("\n".join(problems), {"given": sorted(overrides)}) from None


def settings_for(config: ScraperConfig, base: BaseSettings | None = None) -> BaseSettings:
    """Return the project's settings, or *base*, overridden by *config*. Raises UsageError."""
    settings = base.copy() if base is not None else Settings()
    if base is None:
        settings.setmodule("rori_spiders.settings", priority="project")
    seconds = config.timeout / 1000
    named = {name: getattr(config, field) for field, name in _NAMES.items()}
    named |= {"DOWNLOAD_TIMEOUT": seconds, "RORI_BROWSER_TIMEOUT": seconds} if config.timeout != TIMEOUT_MS else {}
    settings.setdict({name: value for name, value in named.items() if value is not None}, priority="cmdline")
    apply_setting_types(settings)
    return settings


def command_line_settings(settings: BaseSettings) -> dict[str, str]:
    """Return the settings given on the command line, as ``-s`` arguments for a child process."""
    by_hand = {
        name: settings[name] for name in settings if settings.getpriority(name) == SETTINGS_PRIORITIES["cmdline"]
    }
    return {name: str(value) for name, value in by_hand.items() if isinstance(value, str | int | float)}
