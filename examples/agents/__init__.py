"""Scripted agents: one that is careful, and several that are not, for any domain."""
