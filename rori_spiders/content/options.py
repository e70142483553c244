"""What a conversion is asked for."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Options:
    """What a source asks of its pages' conversion: CSS selectors for the content, and for what is not content.

    ``ocr``: languages of Tesseract for scanned pages, or "off"; None: RORI_OCR.
    """

    content_selector: str | None = None
    remove_selectors: tuple[str, ...] = ()
    ocr: str | None = None


DEFAULTS = Options()
