"""Raw records of YAML and Markdown files."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import yaml

from groundeval.diagnostics import Diagnostic, codes
from groundeval.world.files import DataFile, read_whole
from groundeval.world.ids import kind_of
from groundeval.world.json_text import DEEPEST, TextFault, normalised, utf8_fault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from yaml.nodes import MappingNode, Node

_TAG: Final = "tag:yaml.org,2002:"
_KINDS: Final = frozenset(
    {"str", "int", "float", "bool", "null", "timestamp", "merge", "value", "seq", "map"}
)
"""Tags that plain YAML resolves to; whatever else a document names is its own."""
_WORDS: Final = {"true": True, "false": False, "null": None, "~": None, "": None}
_INTEGER: Final = re.compile(r"[-+]?(?:0|[1-9][0-9]*)", re.ASCII)
_FRACTION: Final = re.compile(
    r"[-+]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?", re.ASCII
)
_FRONT: Final = re.compile(r"---[ \t]*\n(.*?)(?:^|\n)---[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)


class _BadYamlError(Exception):
    def __init__(self, message: str, node: Node) -> None:
        super().__init__(message)
        self.line = node.start_mark.line + 1
        self.column = node.start_mark.column + 1


def read_yaml(file: DataFile) -> Iterator[tuple[int, dict[str, Any]] | Diagnostic]:
    """The objects of all documents; a document that is a list gives its items."""
    text = _text(file)
    if isinstance(text, Diagnostic):
        yield text
        return
    values = yaml_values(text)
    if isinstance(values, TextFault):
        yield file.place().fault(codes.MALFORMED_FILE, values)
        return
    for line, value in values:
        if isinstance(value, dict):
            yield line, value
        else:
            message = f"the record is {kind_of(value)}, not an object"
            yield file.place(line).finding(codes.MALFORMED_RECORD, message)


def read_markdown(file: DataFile) -> Iterator[tuple[int, dict[str, Any]] | Diagnostic]:
    """One record: `path` (as the file was named), `front` (the front matter), `body`."""
    text = _text(file)
    if isinstance(text, Diagnostic):
        yield text
        return
    text = text.replace("\r\n", "\n")
    found = _FRONT.match(text)
    front: Any = {}
    if found is not None:
        values = yaml_values(found.group(1))
        if isinstance(values, TextFault):
            message = f"the front matter is not YAML: {values.message}"
            yield file.place(2).fault(codes.MALFORMED_RECORD, replace(values, message=message))
            return
        front = values[0][1] if values else {}
    if not isinstance(front, dict):
        message = f"the front matter is {kind_of(front)}, not an object"
        yield file.place().finding(codes.MALFORMED_RECORD, message)
        return
    body = text[found.end() :] if found else text
    yield 1, normalised({"path": file.name, "front": front, "body": body})


def yaml_values(text: str) -> list[tuple[int, Any]] | TextFault:
    """The values of all documents with their lines, the items of lists one by one.

    Plain words are read as in YAML 1.2's core schema, less its octal and hexadecimal numbers:
    `no`, `on`, `007` and `12:30` are texts, and so are dates. Aliases, tags of one's own and keys
    that are no texts have no counterpart in JSON and are faults; so is a key given twice.
    """
    try:
        return [
            (node.start_mark.line + 1, normalised(_value(node, set(), 1)))
            for document in yaml.compose_all(text, Loader=yaml.SafeLoader)
            for node in _items(document)
        ]
    except yaml.MarkedYAMLError as fault:
        mark = fault.problem_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        return TextFault(str(fault.problem or fault.context or "not YAML"), "", line, column)
    except yaml.YAMLError as fault:
        return TextFault(str(fault).splitlines()[0])
    except _BadYamlError as fault:
        return TextFault(str(fault), "", fault.line, fault.column)
    except RecursionError:
        return TextFault(f"the value is nested deeper than {DEEPEST} levels")


def _items(document: Node) -> list[Node]:
    """A document's nodes: the items of a list, else the document itself."""
    return list(document.value) if isinstance(document, yaml.SequenceNode) else [document]


def _text(file: DataFile) -> str | Diagnostic:
    data = read_whole(file)
    if isinstance(data, Diagnostic):
        return data
    fault = utf8_fault(data)
    if fault is None:
        return data.decode()
    return file.place().fault(codes.MALFORMED_FILE, fault)


def _value(node: Node, seen: set[int], depth: int) -> Any:
    if depth > DEEPEST:
        raise _BadYamlError(f"the value is nested deeper than {DEEPEST} levels", node)
    if id(node) in seen:
        raise _BadYamlError("an alias (`*name`) is not read in data", node)
    seen.add(id(node))
    if node.tag.removeprefix(_TAG) not in _KINDS:
        raise _BadYamlError(f"the tag `{node.tag}` is not read in data", node)
    match node:
        case yaml.ScalarNode():
            return _scalar(node)
        case yaml.SequenceNode():
            return [_value(item, seen, depth + 1) for item in node.value]
        case yaml.MappingNode():
            return _mapping(node, seen, depth)
        case _:
            raise _BadYamlError("this kind of YAML node is not read", node)


def _mapping(node: MappingNode, seen: set[int], depth: int) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key_node, item in node.value:
        if not isinstance(key_node, yaml.ScalarNode):
            raise _BadYamlError("a key is not a text", key_node)
        key = str(key_node.value)
        if key in result:
            raise _BadYamlError(f"the key `{key}` is given twice", key_node)
        result[key] = _value(item, seen, depth + 1)
    return result


def _scalar(node: yaml.ScalarNode) -> Any:
    text = str(node.value)
    if node.style is not None or node.tag == _TAG + "str":
        return text
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    if _INTEGER.fullmatch(text):
        return int(text) if len(text) < 1000 else text
    if _FRACTION.fullmatch(text):
        number = float(text)
        if math.isinf(number):
            raise _BadYamlError("a number is too large to hold", node)
        return number
    return text
