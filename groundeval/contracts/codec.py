"""The contract as a document: `contract.json`, and its graph alone as `graph.json`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from groundeval.contracts.contract import SCHEMA, Contract
from groundeval.diagnostics import Checked, Diagnostic, codes
from groundeval.graph.queries import CausalGraph
from groundeval.ir.codec import RulesFormatError, decode
from groundeval.ir.program import Program
from groundeval.traces.reader import schema_fault
from groundeval.world.artifacts import Artifact
from groundeval.world.canonical import canonical_json, digest, structs_json
from groundeval.world.findings import Place
from groundeval.world.time import format_instant

GRAPH_SCHEMA: Final = "groundeval.graph/1"
_KIND, _, _MAJOR = SCHEMA.rpartition("/")

JsonObject = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ContractDocument:
    """What a `contract.json` holds: the rules as a program, the rest as plain JSON.

    `contract` is the contract's hash, which every question and trace names.
    """

    program: Program
    contract: str
    questions: tuple[JsonObject, ...]
    hashes: Mapping[str, str]
    inputs: Mapping[str, Any]
    document: JsonObject


def encode_documents(
    contract: Contract,
    questions: Sequence[JsonObject] = (),
    paths: Mapping[str, Sequence[str]] | None = None,
) -> tuple[bytes, bytes]:
    """`contract.json` and `graph.json` in canonical JSON, each with a line end.

    `questions` are whole ones, truth included. `paths` are the inputs' relative paths by their
    kind (`events`, `artifacts`, …); the order in which they come does not show.
    """
    graph = graph_document(contract.graph)
    head = {"schema": GRAPH_SCHEMA, "contract": contract.digest}
    whole = {**_contract_document(contract, questions, paths or {}), "graph": graph}
    return canonical_json(whole) + b"\n", canonical_json({**head, **graph}) + b"\n"


def encode_contract(
    contract: Contract,
    questions: Sequence[JsonObject] = (),
    paths: Mapping[str, Sequence[str]] | None = None,
) -> bytes:
    """`contract.json` alone: see `encode_documents`."""
    return encode_documents(contract, questions, paths)[0]


def encode_graph(contract: Contract) -> bytes:
    """`graph.json` alone: the causal graph as node-link data."""
    return encode_documents(contract)[1]


def _contract_document(
    contract: Contract, questions: Sequence[JsonObject], paths: Mapping[str, Sequence[str]]
) -> JsonObject:
    """The contract as a JSON object, without its graph."""
    ordered = sorted(questions, key=lambda question: str(question["id"]))
    hashes = contract.hashes.as_object()
    return {
        "schema": SCHEMA,
        "domain": contract.program.domain,
        "title": contract.program.title,
        "seed": contract.seed,
        "rules": contract.rules,
        "questions": ordered,
        "handbook": [_document(contract.handbook[name]) for name in sorted(contract.handbook)],
        "inputs": _inputs(contract, paths),
        "hashes": {**hashes, "contract": contract.digest, "questions": digest(ordered)},
    }


def graph_document(graph: CausalGraph) -> JsonObject:
    """Nodes and edges as `networkx.node_link_graph(…, edges="edges")` reads them, encoded.

    Gaps are in microseconds; evidence is a list of alternatives, each a sorted list of ids.
    """
    return {
        "directed": True,
        "multigraph": True,
        "graph": {},
        "nodes": structs_json(_nodes(graph)),
        "edges": structs_json(_edges(graph)),
    }


def decode_contract(data: bytes, file: str) -> Checked[ContractDocument]:
    """The document of a `contract.json`; findings where it is damaged or of another version."""
    place = Place(file, 1)
    try:
        document = msgspec.json.decode(data)
    except msgspec.DecodeError as fault:
        reason = str(fault).removeprefix("JSON is malformed: ")
        message = f"not one JSON document: {reason}"
        return Checked(None, (place.finding(codes.MALFORMED_FILE, message),))
    if not isinstance(document, dict):
        return Checked(None, (_misfit(place, "the document is no object"),))
    other = schema_fault(document, _KIND, _MAJOR, place)
    if other is not None:
        return Checked(None, (other,))
    return _document_of(document, place)


def _document_of(document: JsonObject, place: Place) -> Checked[ContractDocument]:
    kinds = {"rules": dict, "questions": list, "hashes": dict, "inputs": dict}
    wrong = [
        _misfit(place, f"`{name}` is missing or of the wrong kind")
        for name, kind in kinds.items()
        if not isinstance(document.get(name), kind)
    ]
    if wrong:
        return Checked(None, tuple(wrong))
    hashes, questions = document["hashes"], document["questions"]
    if hashes.get("questions") != digest(questions) or hashes.get("rules") != digest(
        document["rules"]
    ):
        help_ = "compile the project again"
        message = "the rules or questions are not those that the hashes were taken of"
        return Checked(None, (place.finding(codes.DAMAGED_CONTRACT, message, help_=help_),))
    try:
        program = decode(document["rules"])
    except RulesFormatError as fault:
        return Checked(None, (_misfit(place, str(fault)),))
    return Checked(
        ContractDocument(
            program=program,
            contract=str(hashes.get("contract", "")),
            questions=tuple(questions),
            hashes=hashes,
            inputs=document["inputs"],
            document=document,
        )
    )


def _misfit(place: Place, message: str) -> Diagnostic:
    return place.finding(codes.DAMAGED_CONTRACT, message, help_="compile the project again")


class _Node(msgspec.Struct, gc=False):
    """An event of the graph; its fields stand in the order of canonical JSON."""

    at: str
    id: str
    type: str


class _Edge(msgspec.Struct, gc=False):
    """A link of the graph."""

    evidence: list[list[str]]
    gap: int
    key: str
    necessity: str
    source: str
    target: str


def _nodes(graph: CausalGraph) -> Iterator[_Node]:
    for event in graph.events():
        yield _Node(format_instant(event.at), event.id, event.type)


def _edges(graph: CausalGraph) -> Iterator[_Edge]:
    for cause, effect, spec, link in graph.links():
        evidence = [sorted(ids) for ids in link["evidence"]]
        yield _Edge(evidence, link["gap"], spec, link["necessity"], cause, effect)


def _inputs(contract: Contract, paths: Mapping[str, Sequence[str]]) -> JsonObject:
    files = [{"name": file.name, "hash": file.digest} for file in contract.program.files]
    counts = {"events": len(contract.world.log), "artifacts": len(contract.world.corpus)}
    hashes = contract.hashes.as_object()
    listed: JsonObject = {"rules": sorted(files, key=lambda file: file["name"])}
    for kind in sorted({*counts, *paths}):
        listed[kind] = {"paths": sorted(paths.get(kind, ()))}
        if kind in counts:
            listed[kind] |= {"count": counts[kind], "hash": hashes[kind]}
    return listed


def _document(artifact: Artifact) -> JsonObject:
    version = artifact.versions[-1]
    return {"id": artifact.id, "title": version.title, "text": version.text}
