"""How a source's pages are converted."""

from rori_spiders.content.options import Options
from rori_spiders.manifest.models import Source


def conversion_options(source: Source) -> Options:
    """How the source wants its pages read and cut out."""
    config = source.scrape_config
    return Options(config.content_selector, tuple(config.remove_selectors), config.ocr)
