"""What a page passes once it is read: convert, change, envelope, audit. The order, with reasons, is in settings.py."""
