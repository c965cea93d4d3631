"""Copies of the evaluators with one mistake each, loaded from changed source in memory."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.util
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

import groundeval.engine

ENGINE = Path(groundeval.engine.__file__).parent
PLAIN = ("values", "evaluator")
COMPILED = (
    "dynamic",
    "facts",
    "codegen_values",
    "codegen_walks",
    "codegen_logic",
    "codegen",
    "closures",
)


@dataclass(frozen=True)
class Mutant:
    """In `module`, every `old` reads `new`."""

    module: str
    old: str
    new: str

    @property
    def source(self) -> str:
        text = (ENGINE / f"{self.module}.py").read_text(encoding="utf-8")
        assert self.old in text, f"{self.module}.py no longer holds {self.old!r}"
        return text.replace(self.old, self.new)

    def __str__(self) -> str:
        return f"{self.module}: {self.old} -> {self.new}"


class _Sources(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Loads the engine's modules anew, one of them from changed source."""

    def __init__(self, names: Sequence[str], mutant: Mutant) -> None:
        self.names = {f"groundeval.engine.{name}": name for name in names}
        self.mutant = mutant

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> ModuleSpec | None:
        if fullname not in self.names:
            return None
        return importlib.util.spec_from_loader(fullname, self)

    def exec_module(self, module: ModuleType) -> None:
        name = self.names[module.__name__]
        file = ENGINE / f"{name}.py"
        text = file.read_text(encoding="utf-8")
        if name == self.mutant.module:
            text = self.mutant.source
        exec(compile(text, str(file), "exec"), vars(module))


@contextmanager
def loaded(names: Sequence[str], mutant: Mutant, entry: str) -> Iterator[ModuleType]:
    """The module `entry` with the mutant in it or below it; the real ones are untouched."""
    finder = _Sources(names, mutant)
    kept = {full: sys.modules.pop(full) for full in finder.names if full in sys.modules}
    attributes = {n: vars(groundeval.engine)[n] for n in names if n in vars(groundeval.engine)}
    for name in attributes:
        delattr(groundeval.engine, name)
    sys.meta_path.insert(0, finder)
    try:
        module = importlib.import_module(f"groundeval.engine.{entry}")
    finally:
        sys.meta_path.remove(finder)
        for full in finder.names:
            sys.modules.pop(full, None)
        sys.modules.update(kept)
        for name in names:
            if name in attributes:
                setattr(groundeval.engine, name, attributes[name])
            elif name in vars(groundeval.engine):
                delattr(groundeval.engine, name)
    yield module


OF_THE_WALK = (
    Mutant("values", "return value if isinstance(value, bool) else None", "return bool(value)"),
    Mutant("values", "and not isinstance(value, bool)", ""),
    Mutant("values", "sorted(value, key=sort_key)", "sorted(value, key=sort_key, reverse=True)"),
    Mutant("values", "else (value,)", "else ()"),
    Mutant("values", "if left.keys() == right.keys() else None", ""),
    Mutant("values", " and all(holds(left, x) for x in right)", ""),
    Mutant("values", "if isinstance(left, bool) != isinstance(right, bool):", "if False:"),
    Mutant("values", "item is not None and holds(kept, item)", "holds(kept, item)"),
    Mutant("values", "if not holds(kept, value):", "if True:"),
    Mutant("values", "bool(left < right)", "bool(left <= right)"),
    Mutant("values", "bool(left <= right)", "bool(left < right)"),
    Mutant("values", "bool(left > right)", "bool(left >= right)"),
    Mutant("values", "bool(left >= right)", "bool(left > right)"),
    Mutant("values", "return result if math.isfinite(result) else None", "return result"),
    Mutant("values", "except (ZeroDivisionError, OverflowError)", "except OverflowError"),
    Mutant("values", "except (ZeroDivisionError, OverflowError)", "except ZeroDivisionError"),
    Mutant("values", "whole = round(value)", "whole = value"),
    Mutant("values", ".search(value)", ".match(value)"),
    Mutant(
        "values",
        "except UnicodeEncodeError:\n        return None",
        "except ValueError:\n        return False",
    ),
    Mutant("evaluator", "return None if operand is None else not operand", "return not operand"),
    Mutant("evaluator", "_kleene(expr, decisive=False", "_kleene(expr, decisive=True"),
    Mutant("evaluator", "return None if unknown else not decisive", "return not decisive"),
    Mutant("evaluator", "if found is decisive:", "if found is None:"),
    Mutant("evaluator", "if left is None else left", "if not left else left"),
    Mutant(
        "evaluator",
        "if condition is None:\n                return None",
        "if False:\n                return None",
    ),
    Mutant("evaluator", "host) is None) != expr.negated", "host) is None)"),
    Mutant("evaluator", "values.equal(left, right) != expr.negated", "values.equal(left, right)"),
    Mutant("evaluator", "if expr.join:", "if False:"),
    Mutant("evaluator", "item if isinstance(item, tuple | list) else (item,)", "(item,)"),
    Mutant("evaluator", "0 <= key < len(base)", "key < len(base)"),
    Mutant(
        "evaluator",
        "base.get(expr.name) if isinstance(base, Mapping) else None",
        "base.get(expr.name)",
    ),
    Mutant("evaluator", "return bool(true)", "return len(true) == len(found)"),
    Mutant("evaluator", "return len(true) == len(found)", "return bool(true)"),
    Mutant("evaluator", "/ len(found) if found else None", "/ len(found) if found else 0"),
    Mutant("evaluator", "return true[0] if true", "return true[-1] if true"),
    Mutant("evaluator", "return true[-1] if true", "return true[0] if true"),
    Mutant("evaluator", "if body is True]", "if body]"),
    Mutant("evaluator", "evaluate(test, s, host) is True", "evaluate(test, s, host) is not False"),
    Mutant("evaluator", '"<" if kind == "min" else ">"', '">" if kind == "min" else "<"'),
    Mutant("evaluator", "for x in found if x is not None)", "for x in found)"),
    Mutant("evaluator", "frozenset(freeze(x) for", "frozenset(x for"),
    Mutant("evaluator", "if values.shares((x,), right)]", "]"),
    Mutant("evaluator", "if not values.shares((x,), right)]", "]"),
    Mutant("evaluator", '"".join(known) if len(known) == len(shown) else None', '"".join(known)'),
    Mutant("evaluator", "if not function.takes_missing and any(", "if any("),
    Mutant("evaluator", "return () if found is None else found", "return found"),
    Mutant("evaluator", "one_or_many(event.facts.get(expr.name))", "event.facts.get(expr.name)"),
)

OF_THE_COMPILED = (
    Mutant("dynamic", "return x if x is True or x is False else None", "return x"),
    Mutant("dynamic", "return None if x is None else not x", "return not x"),
    Mutant("dynamic", "else 0 if x is False else None", "else 0"),
    Mutant("dynamic", "return _TRUE if x else _FALSE", "return x"),
    Mutant("dynamic", "return _is_whole(k) or any(_same(x, y) for y in group)", "return True"),
    Mutant("dynamic", "if x.keys() != y.keys():", "if False:"),
    Mutant("dynamic", " and all(map(left.holds, y))", ""),
    Mutant("dynamic", "x is not None and bag.holds(x) for x in xs", "bag.holds(x) for x in xs"),
    Mutant("dynamic", "x if type(x) in _SEQUENCES else (x,), spread", "(x,), spread"),
    Mutant("dynamic", "sorted(x, key=sort_key)", "sorted(x, key=sort_key, reverse=True)"),
    Mutant("dynamic", "for x in xs if x is not None])", "for x in xs])"),
    Mutant("dynamic", "[*walk(a), *walk(b)]", "[*walk(b), *walk(a)]"),
    Mutant("dynamic", "if x is None or not bag.holds(x)]", "if x is None or bag.holds(x)]"),
    Mutant("dynamic", "if not seen.holds(x):", "if True:"),
    Mutant("dynamic", "return type(b) in _NUMBERS", "return True"),
    Mutant("dynamic", "return a < b if", "return a <= b if"),
    Mutant("dynamic", "return a <= b if", "return a < b if"),
    Mutant("dynamic", "return x if -_INFINITY < x < _INFINITY else None", "return x"),
    Mutant("dynamic", "float(x)  # raises", "pass  # raises"),
    Mutant("dynamic", "type(b) in _NUMBERS and b else None", "type(b) in _NUMBERS else None"),
    Mutant("dynamic", "return round(x) if type(x) is float else x", "return x"),
    Mutant("dynamic", "return min(xs) if", "return max(xs) if"),
    Mutant("dynamic", "return bool(kinds) and (", "return ("),
    Mutant("dynamic", "(kinds <= _NUMBERS or kinds == _TEXT)", "kinds <= _NUMBERS"),
    Mutant("codegen_values", '"empty/1": "(not {})"', '"empty/1": "({})"'),
    Mutant("codegen_values", '"max/2": "max({}, {})"', '"max/2": "min({}, {})"'),
    Mutant("dynamic", "if 0 <= at < len(base)", "if at < len(base)"),
    Mutant("dynamic", "if event.at > at:", "if event.at >= at:"),
    Mutant("dynamic", "newest if newest.start <= at else found.at(at)", "newest"),
    Mutant("dynamic", "events[: bisect_right(events, at, key=_at)]", "events"),
    Mutant("dynamic", "return True in known if known else None", "return True in known"),
    Mutant(
        "codegen_logic", '"and" if mode == "true" else "or"', '"or" if mode == "true" else "and"'
    ),
    Mutant(
        "codegen_logic",
        'other: Verdict = "false" if mode == "true" else "true"',
        "other: Verdict = mode",
    ),
    Mutant("codegen_logic", "self.none_differs and len(self.guards) <= 1", "self.none_differs"),
    Mutant("codegen_logic", "self.none_differs and len(self.guards) <= 1", "True"),
    Mutant("codegen_logic", "if self.three_valued or not self.guards:", "if True:"),
    Mutant("codegen_logic", '"<": ">="', '"<": ">"'),
    Mutant("codegen_logic", '"joined" if node.join else "same"', '"same"'),
    Mutant("codegen_logic", '"took_part"', '"labelled"'),
    Mutant(
        "codegen_logic",
        'f"if {name} is {neutral} or {found} is {decisive}:"',
        'f"if {name} is {neutral}:"',
    ),
    Mutant("codegen_logic", 'f"if {name} is None:"', 'f"if not {name}:"'),
    Mutant("codegen_logic", "if not really:", "if True:"),
    Mutant("codegen_logic", 'f"(not {apart})", f"({apart})"', 'f"({apart})", f"(not {apart})"'),
    Mutant("codegen_walks", 'f"sorted({source})"', 'f"sorted({source}, reverse=True)"'),
    Mutant("codegen_walks", 'if node.kind != "last":', "if False:"),
    Mutant("codegen_walks", '"if not" if node.kind == "all" else "if"', '"if"'),
    Mutant("codegen_walks", "if {size} else None", "if {size} else 0"),
    Mutant("codegen_walks", "if not known.maybe:", "if True:"),
    Mutant("codegen_walks", "'smallest' if node.kind == 'min' else 'largest'", "'largest'"),
    Mutant("codegen_values", '"+": "add"', '"+": "sub"'),
    Mutant("codegen_values", "if not maybe:", "if True:"),
    Mutant(
        "codegen_values",
        "if (known.maybe or coercion) and not function.takes_missing:",
        "if known.maybe or coercion:",
    ),
    Mutant("codegen_values", "if unverified else", "if False else"),
    Mutant("facts", "if shape.many or shape.name in _UNVERIFIED:", "if shape.name in _UNVERIFIED:"),
    Mutant(
        "facts",
        "item if known else ANYTHING",
        "of_type(node.type.item) if node.type.item else ANYTHING",
    ),
    Mutant("facts", "if left.kind != right.kind:", "if False:"),
)
