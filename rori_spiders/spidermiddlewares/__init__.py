"""What stands between the walkers and the engine."""
