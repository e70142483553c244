"""Extract a page's metadata: title, dates, language, links, hints."""
