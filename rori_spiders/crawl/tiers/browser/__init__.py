"""The `browser` tier: pages rendered by Chromium, for text that only scripts write. Nothing is disguised."""
