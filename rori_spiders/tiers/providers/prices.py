"""What providers charge, as they publish it: data, each row with its source and the day on which it was read.

Where the price depends on the site, the highest counts: a limit must hold whatever a call turns out to cost.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Charge:
    """What one call costs at most: *amount* in the provider's own unit, and in USD."""

    amount: float
    usd: float

    def worth(self, amount: float) -> float:
        """The USD of *amount* units."""
        return amount * self.usd / self.amount


@dataclass(frozen=True, slots=True)
class Price:
    """A provider's price of a page fetched plainly, of one rendered in its browser, of a list of a site's addresses."""

    unit: str
    plain: Charge
    rendered: Charge
    source: str
    read_on: str
    mapped: Charge | None = None  # None: it makes no such list

    def of(self, *, rendered: bool) -> Charge:
        return self.rendered if rendered else self.plain


PRICES: dict[str, Price] = {
    # Pay as you go, the highest of five tiers of sites; only successful answers are charged.
    "zyte": Price(
        "request", Charge(1, 0.00127), Charge(1, 0.01608), "https://docs.zyte.com/zyte-api/pricing.html", "2026-09"
    ),
    # One credit a page by the basic proxy, one a map (docs.firecrawl.dev/billing); S0 §2.1: 500 credits for 16 USD.
    "firecrawl": Price(
        "credit",
        Charge(1, 0.032),
        Charge(1, 0.032),
        "https://docs.firecrawl.dev/billing and S0 §2.1",
        "2026-11",
        mapped=Charge(1, 0.032),
    ),
    # One's own server.
    "crawl4ai": Price("page", Charge(1, 0.0), Charge(1, 0.0), "https://github.com/unclecode/crawl4ai", "2026-11"),
    # By the datacenter proxy; 100,000 credits for 19 USD. Failed requests cost nothing.
    "scrapingant": Price(
        "credit", Charge(1, 0.00019), Charge(10, 0.0019), "https://docs.scrapingant.com/credits-cost", "2026-08"
    ),
}
