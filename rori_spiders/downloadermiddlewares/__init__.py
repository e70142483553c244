"""What a request passes on its way out, and a response on its way in. The order, with reasons, is in settings.py."""
