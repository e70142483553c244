"""Users, sessions and the login page."""
