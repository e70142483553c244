"""Texts cleaned by a language model, between guards: a draft in, the same text tidied or the draft out, with why."""
