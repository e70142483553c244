"""The sources of the monitor's page, and what builds them. Nothing of it is installed: the page is."""
