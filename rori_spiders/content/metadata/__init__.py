"""What a page says about itself: title, dates, language, links, hints."""
