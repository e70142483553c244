"""Users, passwords and keys in the addresses that a page links to: taken out or masked, the links themselves stay.

In: markdown, HTML, a URL. Out: the same without ``user:password@`` where a link leads, and ``[redacted]`` for the value
of a parameter that can only be a credential. What a page says in its text is the publisher's, and stays as it is said.
"""

from __future__ import annotations

import re

from rori_spiders.runtime.redaction import mask_credential_parameters

_IN_URL = re.compile(r"(?<=//)[^/?#\s]*@")
# The target of a link or a picture, and the tags that tables keep.
_TARGET = re.compile(r"\]\(<?[^()<>\s]*(?:\([^()<>\s]*\)[^()<>\s]*)*")
_IN_TARGET = re.compile(r"^(\]\(<?(?:https?:)?//)[^/?#\s()<>]*@", re.IGNORECASE)
_TAG = re.compile(r"<[a-zA-Z][^<>]*>")
_ATTRIBUTE = re.compile(r"(=\s*[\"']?(?:https?:)?//)[^/?#\s\"'<>]*@", re.IGNORECASE)


def out_of_url(url: str) -> str:
    """An absolute or relative URL without them."""
    return mask_credential_parameters(_IN_URL.sub("", url, count=1) if "@" in url else url)


def out_of_markdown(markdown: str) -> str:
    """Markdown whose links carry none."""
    return out_of_html(_TARGET.sub(lambda target: _out_of(_IN_TARGET, target[0]), markdown))


def out_of_html(html: str) -> str:
    """HTML whose attributes carry none."""
    return _TAG.sub(lambda tag: _out_of(_ATTRIBUTE, tag[0]), html)


def _out_of(userinfo: re.Pattern[str], text: str) -> str:
    if "@" in text:
        text = userinfo.sub(r"\1", text)
    return mask_credential_parameters(text) if "?" in text else text
