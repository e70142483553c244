"""A document in chunks for retrieval: cut along its own structure, each with what it needs to be read alone."""
