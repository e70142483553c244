"""Tools for the development of RORI Collector; none is part of the package."""
