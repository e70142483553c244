"""A site of real pages through all states of a corpus, twice: driven by the real commands, held against a script."""
