"""HTML for test sites: pages with text enough to be content, in the boilerplate that such pages have."""

from __future__ import annotations

_TEXT = (
    "A creditor shall disclose the finance charge clearly and conspicuously in writing. The disclosure shall be "
    "grouped together and segregated from everything else. A creditor shall retain evidence of compliance for two "
    "years after the date on which disclosures are required to be made. A servicer shall credit a periodic payment "
    "to the consumer's account as of the date of receipt. "
)


def page(title: str, *links: str, text: str = "", clock: str = "") -> str:
    """A page named *title* with about 900 characters of text of its own, *text*, and *links* in its body.

    *clock* stands in the boilerplate, where no reader looks for the law.
    """
    items = "".join(f'<li><a href="{link}">Section at {link}</a></li>' for link in links)
    stamp = f'<div class="page-last-updated">Page last updated: {clock}</div>' if clock else ""
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><title>{title}</title></head><body>'
        f"<header><p>An official website</p>{stamp}</header>"
        f"<main><h1>{title}</h1><p>{title} begins here. {text}</p><p>{_TEXT}</p><p>{_TEXT}</p><ul>{items}</ul></main>"
        f"<footer><p>Contact us</p></footer></body></html>"
    )
