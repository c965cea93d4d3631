"""Agents that are a model behind an API: the conversation is ours, the model is asked for turns."""
