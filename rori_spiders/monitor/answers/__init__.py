"""The models that the API gives: they are its contract with the page."""
