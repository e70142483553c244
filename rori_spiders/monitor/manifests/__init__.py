"""Manifests: active ones, their versions, checking and activating."""
