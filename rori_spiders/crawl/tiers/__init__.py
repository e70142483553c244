"""How a URL is fetched: the tier order, and each tier. `base.py` defines the interface, `builders.py` lists all."""
