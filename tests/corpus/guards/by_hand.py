"""Cleanings as a person would make them, by hand, over pages: what is replaced by what."""

from __future__ import annotations

from typing import NamedTuple


class Edit(NamedTuple):
    """On *page*, *what* was done: each old text once, by the new one."""

    page: str
    what: str
    changes: tuple[tuple[str, str], ...]


_RULES = "rules-policy/regulations"
EDITS = (
    Edit("pricing", "navigation", (("[Skip to main content](#main)\n\nHome > Pricing\n\n", ""),)),
    Edit("pricing", "call to action", (("[Book a demo](https://www.acme.example/demo)\n\n", ""),)),
    Edit(
        "pricing",
        "plans told",
        (
            (
                (
                    "| Plan | Price per user | Single sign-on | Storage |\n| --- | --- | --- | --- |\n"
                    "| Starter | $12 | No | 50 GB |\n| Business | $24.50 | Yes | 1 TB |\n"
                    "| Enterprise | Ask us | Yes | Unlimited |\n"
                ),
                (
                    "For Starter, the price per user is $12, single sign-on is No and storage is 50 GB.\n\n"
                    "For Business, the price per user is $24.50, single sign-on is Yes and storage is 1 TB.\n\n"
                    "For Enterprise, the price per user is Ask us, single sign-on is Yes and storage is Unlimited.\n"
                ),
            ),
        ),
    ),
    Edit("pricing", "headings", (("## Plans", "## Pricing - Plans"), ("### Limits", "### Plans: Limits"))),
    Edit("pricing", "title above", (("# Pricing\n", "# Acme pricing plans - Pricing\n"),)),
    Edit(
        "pricing",
        "questions",
        (
            ("**Can I change my plan?**", "### Can I change my plan?"),
            ("**Do you offer refunds?**", "### Do you offer refunds?"),
        ),
    ),
    Edit(
        "pricing",
        "end",
        (
            (
                (
                    "## Related articles\n\n- [How to choose a plan](https://www.acme.example/blog/choose)\n"
                    "- [Moving from Globex](https://www.acme.example/blog/globex)\n\n"
                ),
                "",
            ),
            (
                (
                    "## Subscribe to our newsletter\n\nSign up for product news.\n\n"
                    "[Facebook](https://www.facebook.com/acme) [LinkedIn](https://www.linkedin.com/company/acme)\n"
                ),
                "",
            ),
        ),
    ),
    Edit(
        "pricing",
        "support told in a list",
        (
            (
                (
                    "| Plan | First answer |\n| --- | --- |\n| Starter | within 2 business days |\n"
                    "| Business | within 8 hours |\n| Enterprise | within 1 hour |\n"
                ),
                (
                    "- Starter: first answer within 2 business days\n- Business: first answer within 8 hours\n"
                    "- Enterprise: first answer within 1 hour\n"
                ),
            ),
        ),
    ),
    Edit(
        "loan-limits",
        "print and share",
        (("[Print this page](https://www.example.gov/print) | [Share](https://www.example.gov/share)\n\n", ""),),
    ),
    Edit("loan-limits", "back to top", (("\n[Back to top](#top)\n", ""),)),
    Edit(
        "loan-limits",
        "headings",
        (
            ("## Low-cost areas", "## Loan limits: Low-cost areas"),
            ("### Exceptions", "### High-cost areas - Exceptions"),
        ),
    ),
    Edit(
        "loan-limits",
        "list",
        (("    - They are 50", "  - They are 50"), ("    - They do not apply", "  - They do not apply")),
    ),
    Edit(
        "loan-limits",
        "units told",
        (
            (
                (
                    "| Units | Limit |\n| --- | --- |\n| 1 | $524,225 |\n| 2 | $671,200 |\n| 3 | $811,275 |\n"
                    "| 4 | $1,008,300 |\n"
                ),
                (
                    "Units 1: the limit is $524,225.\n\nUnits 2: the limit is $671,200.\n\n"
                    "Units 3: the limit is $811,275.\n\nUnits 4: the limit is $1,008,300.\n"
                ),
            ),
        ),
    ),
    Edit(
        "loan-limits",
        "related links",
        (
            (
                (
                    "## Related links\n\n- [Handbook for lenders](https://www.example.gov/handbook)\n"
                    "- [County search](https://www.example.gov/counties)\n\n[Back to top](#top)\n"
                ),
                "",
            ),
        ),
    ),
    Edit(
        "assistance",
        "menu",
        (
            (
                (
                    "Menu\n\n- [Home](https://county.example/)\n- [Departments](https://county.example/departments)\n"
                    "- [Contact us](https://county.example/contact)\n\n"
                ),
                "",
            ),
        ),
    ),
    Edit(
        "assistance",
        "levels",
        (
            ("#### Who may apply", "## Down payment assistance: Who may apply"),
            ("#### How to apply", "## Down payment assistance: How to apply"),
            ("#### What the loan costs", "## Down payment assistance: What the loan costs"),
            ("#### Was this page helpful?", "## Was this page helpful?"),
        ),
    ),
    Edit(
        "assistance",
        "sharing",
        (
            (
                (
                    "#### Was this page helpful?\n\nShare this page\n\n- [Facebook](https://www.facebook.com/sharer)\n"
                    "- [Twitter](https://twitter.com/intent)\n- [Email](mailto:?subject=assistance)\n"
                ),
                "",
            ),
        ),
    ),
    Edit("assistance", "bold", (("**Note:** funds", "Note: funds"),)),
    Edit(
        "assistance",
        "households told",
        (
            (
                (
                    "| Household | Income |\n| --- | --- |\n| 1 person | $68,500 |\n| 2 persons | $78,250 |\n"
                    "| 3 persons | $88,050 |\n"
                ),
                (
                    "- Household 1 person: income $68,500\n- Household 2 persons: income $78,250\n"
                    "- Household 3 persons: income $88,050\n"
                ),
            ),
        ),
    ),
    Edit("api", "learn more", (("---\n\n[Learn more](https://api.example/docs)\n\n", ""),)),
    Edit(
        "api",
        "headings",
        (
            ("## Fields", "## Rate API: Fields"),
            ("### Errors", "### Fields: Errors"),
            ("## Versions", "## Rate API reference - Versions"),
        ),
    ),
    Edit(
        "api",
        "fields told",
        (
            (
                (
                    "| Field | Type | Meaning |\n| --- | --- | --- |\n"
                    "| `apr` | number | annual percentage rate, in percent |\n"
                    "| `points` | number | discount points; negative for a lender credit |\n"
                    "| `locked` | boolean | whether the rate is locked |\n"
                ),
                (
                    "- `apr`: type number, meaning annual percentage rate, in percent\n"
                    "- `points`: type number, meaning discount points; negative for a lender credit\n"
                    "- `locked`: type boolean, meaning whether the rate is locked\n"
                ),
            ),
        ),
    ),
    Edit("handbook", "title", (("# Chapter 2. Eligibility\n", "# VA Lenders Handbook - Chapter 2. Eligibility\n"),)),
    Edit(
        "handbook",
        "headings",
        (
            ("### a. Veterans", "### Topic 1: Certificate of Eligibility - a. Veterans"),
            ("## Topic 3: Funding fee", "## Chapter 2. Eligibility: Topic 3: Funding fee"),
        ),
    ),
    Edit(
        "handbook",
        "quick links",
        (
            (
                "## Quick links\n\n- [Lender portal](https://va.example/portal)\n- [Training](https://va.example/training)\n",
                "",
            ),
        ),
    ),
    Edit(
        "handbook",
        "eras told",
        (
            (
                (
                    "| Era | Dates | Minimum days |\n| --- | --- | --- |\n"
                    "| World War II | 9/16/1940 - 7/25/1947 | 90 |\n"
                    "| Peacetime | 7/26/1947 - 6/26/1950 | 181 |\n| Korea | 6/27/1950 - 1/31/1955 | 90 |\n"
                ),
                (
                    "World War II\n\n- Dates: 9/16/1940 - 7/25/1947\n- Minimum days: 90\n\n"
                    "Peacetime\n\n- Dates: 7/26/1947 - 6/26/1950\n- Minimum days: 181\n\n"
                    "Korea\n\n- Dates: 6/27/1950 - 1/31/1955\n- Minimum days: 90\n"
                ),
            ),
        ),
    ),
    Edit("fixture-accordion", "heading", (("## Who must file?", "## Questions and answers: Who must file?"),)),
    Edit(f"{_RULES}/1006", "heading", (("## Contents", "## 12 CFR Part 1006 (Regulation F): Contents"),)),
    Edit(
        f"{_RULES}/1006/3",
        "heading",
        (("# § 1006.3 Supporting documents.", "# § 1006.3 Supporting documents. | Regulations Library"),),
    ),
)
