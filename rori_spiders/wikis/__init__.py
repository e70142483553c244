"""Wikis by their api.php: what to ask it, what it answers, which page a URL names. Steps; `tiers/mediawiki.py` asks."""
