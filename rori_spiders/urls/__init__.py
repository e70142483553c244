"""URLs: canonical form, public addresses, sitemaps, crawler traps. Steps: no network."""
