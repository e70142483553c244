"""The configured model, its URL and its limits: RORI_LLM_* settings.

In: settings. Out: a frozen ``Model``; raises ConfigError when a setting is missing or does not fit.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rori_spiders.exceptions import ConfigError

#: Sent with every question, so that the same question gets the same answer.
TEMPERATURE = 0.0
SEED = 20240101


@dataclass(frozen=True, slots=True)
class Model:
    """A model behind a server. Prices: USD per million tokens; *cached_price* of those in the server's prompt
    cache (None: as others), *batch_share* the part of all prices that a question in a batch costs. *limit*: tokens,
    *usd_limit*: USD, each per month.

    *at_once*: limit of concurrent calls to models and providers, over all processes that share a ledger.
    """

    url: str
    name: str
    timeout_s: float = 60.0
    context_tokens: int = 16384
    chunk_tokens: int = 2048
    answer_tokens: int = 2048
    input_price: float = 0.0
    output_price: float = 0.0
    cached_price: float | None = None
    batch_share: float = 1.0
    limit: float = 2_000_000
    usd_limit: float = 20.0
    at_once: int = 10

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters sent with each question, and stored with its answer."""
        return {"temperature": TEMPERATURE, "seed": SEED, "max_tokens": self.answer_tokens}

    def worth(self, input_tokens: int, output_tokens: int, *, cached_tokens: int = 0, in_batch: bool = False) -> float:
        """Return the price of these tokens, in USD. *cached_tokens*: those of the input that the server had cached."""
        cached_price = self.input_price if self.cached_price is None else self.cached_price
        input_usd = (input_tokens - cached_tokens) * self.input_price + cached_tokens * cached_price
        share = self.batch_share if in_batch else 1.0
        return share * (input_usd + output_tokens * self.output_price) / 1_000_000


def load_model(settings: Mapping[str, Any]) -> Model:
    """Return the configured model. Raises ConfigError that names the missing settings."""
    url, name = str(settings["RORI_LLM_URL"]).rstrip("/"), str(settings["RORI_LLM_MODEL"])
    missing = [key for key, value in (("RORI_LLM_URL", url), ("RORI_LLM_MODEL", name)) if not value]
    if missing:
        raise ConfigError(f"no model is configured: set {' and '.join(missing)} (docs/reference/settings.md)")
    model = Model(
        url=url,
        name=name,
        timeout_s=float(settings["RORI_LLM_TIMEOUT"]),
        context_tokens=int(settings["RORI_LLM_CONTEXT"]),
        chunk_tokens=int(settings["RORI_LLM_CHUNK_TOKENS"]),
        answer_tokens=int(settings["RORI_LLM_ANSWER_TOKENS"]),
        input_price=float(settings["RORI_LLM_INPUT_PRICE"]),
        output_price=float(settings["RORI_LLM_OUTPUT_PRICE"]),
        cached_price=float(settings["RORI_LLM_CACHED_PRICE"]) or None,
        batch_share=float(settings["RORI_LLM_BATCH_SHARE"]),
        limit=float(settings["RORI_LLM_MONTHLY_TOKENS"]),
        usd_limit=float(settings["RORI_MONTHLY_BUDGET_USD"]),
        at_once=int(settings["RORI_MAX_CONCURRENT_PAID_CALLS"]),
    )
    if model.chunk_tokens + model.answer_tokens >= model.context_tokens:
        raise ConfigError(
            f"a chunk of a page ({model.chunk_tokens} tokens) and an answer ({model.answer_tokens}) exceed the"
            f" model's context of {model.context_tokens} tokens: lower RORI_LLM_CHUNK_TOKENS or"
            " RORI_LLM_ANSWER_TOKENS, or correct RORI_LLM_CONTEXT"
        )
    return model
