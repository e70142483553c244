"""The way out: one slot a group, a queue that holds groups back, a resolver that refuses what is not public."""
