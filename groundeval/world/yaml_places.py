"""Where the settings of a YAML file stand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import yaml

from groundeval.diagnostics import Span

if TYPE_CHECKING:
    from yaml.nodes import Node

Keys = tuple[str | int, ...]
"""The way to a value: keys of mappings and indices of lists, from the document on."""


class YamlPlaces:
    """The places of one document's keys and values, under the name that findings use."""

    def __init__(self, name: str, keys: Mapping[Keys, Span], values: Mapping[Keys, Span]) -> None:
        self._name = name
        self._keys = keys
        self._values = values

    @classmethod
    def of(cls, name: str, text: str) -> YamlPlaces:
        """The places of the one document of `text`; none where it cannot be read."""
        keys: dict[Keys, Span] = {}
        values: dict[Keys, Span] = {}
        try:
            document = yaml.compose(text, Loader=yaml.SafeLoader)
            for way, key, value in _entries(document, ()) if document is not None else ():
                if key is not None:
                    keys[way] = _span(name, key)
                values[way] = _span(name, value)
        except (yaml.YAMLError, RecursionError):
            return cls(name, {}, {})
        return cls(name, keys, values)

    def key(self, *way: str | int) -> Span:
        """Where the key at the end of `way` is, else what comes nearest above it."""
        return self._nearest(way, self._keys)

    def value(self, *way: str | int) -> Span:
        """Where the value at the end of `way` is, else what comes nearest above it."""
        return self._nearest(way, self._values)

    def _nearest(self, way: Keys, first: Mapping[Keys, Span]) -> Span:
        if way in first:
            return first[way]
        for end in range(len(way), 0, -1):
            span = self._keys.get(way[:end]) or self._values.get(way[:end])
            if span is not None:
                return span
        return Span.at(self._name, 1)


def _entries(node: Node, way: Keys) -> Iterator[tuple[Keys, Node | None, Node]]:
    """Each entry below a node: its way, its key where it has one, and its value."""
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            below = (*way, str(key.value))
            yield below, key, value
            yield from _entries(value, below)
    elif isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            yield (*way, index), None, item
            yield from _entries(item, (*way, index))


def _span(name: str, node: Node) -> Span:
    """A node's place; of what goes over several lines only the start."""
    start, end = node.start_mark, node.end_mark
    if start.line != end.line:
        return Span.at(name, start.line + 1, start.column + 1)
    return Span(name, start.line + 1, start.column + 1, end.line + 1, end.column + 1)
