"""Spider middlewares, between the walkers and the engine."""
