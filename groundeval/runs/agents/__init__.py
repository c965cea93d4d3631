"""Scripted agents: one that is careful, and many that are not, for any domain, without a model."""
