"""The monitor's page in Chromium, over what was really collected. `conftest.py` says what a test gets."""
