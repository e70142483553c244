"""An HTML body, decoded and parsed once for all who read it."""

from functools import cached_property

from lxml.html import HtmlElement

from rori_spiders.content.encoding import decode
from rori_spiders.content.html import tree
from rori_spiders.content.html.links import Discovered, complete_links, discover_in


class ParsedPage:
    """The text and the tree of a body fetched from *url*. The step that cuts the tree down must be its last reader."""

    def __init__(self, body: bytes, url: str, content_type: str | None) -> None:
        self.url = url
        self.decoded = decode(body, content_type)

    @cached_property
    def root(self) -> HtmlElement:
        """The tree, parsed when it is first asked for. Raises UnreadableDocument where there is nothing in it."""
        return tree.parse(self.decoded.text)

    @property
    def goes_on_behind_end(self) -> bool:
        """Whether the tree has what stands behind the end of the page."""
        return tree.goes_on_behind_end(self.decoded.text)

    @cached_property
    def found(self) -> Discovered:
        """The links as they are written. Read before the tree is cut down."""
        return discover_in(self.root, self.url)

    def complete_links(self) -> Discovered:
        """The links that a walk goes by, as browsers ask for them. Read before the tree is cut down."""
        return complete_links(self.root, self.found, url=self.url, encoding=self.decoded.encoding)
