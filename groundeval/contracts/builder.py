"""Rules meet data: from a program and a world to a contract."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain

from groundeval.contracts.contract import Contract, Report
from groundeval.contracts.handbook import handbook
from groundeval.contracts.host import ContractHost
from groundeval.contracts.links import match_links
from groundeval.contracts.pairing import Pairing
from groundeval.contracts.pairs import MergedLinks, Override, merge_links
from groundeval.contracts.periods import observed_period
from groundeval.contracts.silences import MatchedSilences, match_silences
from groundeval.contracts.unmatched import unmatched
from groundeval.diagnostics import Checked, Diagnostic, codes, in_order
from groundeval.graph.builder import CausalEdge, build_graph
from groundeval.ir.program import Link, Program
from groundeval.world.world import World

__all__ = ["Contract", "Report", "build"]


def build(program: Program, world: World, *, seed: int) -> Checked[Contract]:
    """The contract of these rules over this world, and what the data say against the rules.

    There is a value even where a link's `outcome_changed` is not confirmed, for whoever wants to
    explain it; the finding is an error all the same. The same inputs and seed give the same
    contract, whatever the order in which they were read.
    """
    documents = {document.id: document for document in handbook(program)}
    matching = ContractHost(program, world, documents)
    pairings = [Pairing(link, matching) for link in program.links]
    edges = [
        edge
        for link, pairing in zip(program.links, pairings, strict=True)
        for edge in match_links(link, pairing, matching)
    ]
    graph = build_graph(edges)
    host = ContractHost(program, world, documents, graph)
    merged = merge_links(program.links, graph, world.corpus)
    silences = {s.name: _silences(program, s.name, host) for s in program.silences}
    contract = Contract(
        program=program,
        world=world,
        seed=seed,
        host=host,
        graph=graph,
        pairings=pairings,
        links=merged.pairs,
        silences=tuple(chain.from_iterable(found.cases for found in silences.values())),
        handbook=documents,
        report=_report(program, world, edges, merged, silences),
    )
    found = chain(
        map(_unconfirmed, merged.unconfirmed),
        _shared_effects(program.links, edges),
        unmatched(program, world, contract.report),
    )
    return Checked(contract, in_order(found))


def _silences(program: Program, name: str, host: ContractHost) -> MatchedSilences:
    silence = next(s for s in program.silences if s.name == name)
    expected = silence.expected.event_type
    observed = observed_period(program, host.world, expected)
    return match_silences(silence, host.words.label(expected), observed, host)


def _report(
    program: Program,
    world: World,
    edges: Sequence[CausalEdge],
    merged: MergedLinks,
    silences: dict[str, MatchedSilences],
) -> Report:
    counted = Counter(edge.spec for edge in edges)
    missing, incomplete = _missing(world)
    return Report(
        events=len(world.log),
        artifacts=len(world.corpus),
        links={link.name: counted[link.name] for link in program.links},
        silences={name: found.statuses for name, found in silences.items()},
        missing_artifacts=missing,
        incomplete_events=incomplete,
        unplaced={name: found.unplaced for name, found in silences.items()},
        unshown=sum(pair.known_from is None for pair in merged.pairs),
        too_many_ways=merged.too_many_ways,
    )


def _missing(world: World) -> tuple[tuple[str, ...], frozenset[str]]:
    """The artifact ids that events name and the corpus lacks, and the ids of those events."""
    named = world.log.artifact_ids()
    missing = sorted(artifact_id for artifact_id in named if artifact_id not in world.corpus)
    naming = chain.from_iterable(map(world.log.of_artifact, missing))
    return tuple(missing), frozenset(event.id for event in naming)


def _unconfirmed(override: Override) -> Diagnostic:
    link = override.link
    claimed = "true" if link.outcome_changed else "false"
    computed = "false" if link.outcome_changed else "true"
    others = f" and for {override.pairs - 1} more" if override.pairs > 1 else ""
    return Diagnostic(
        codes.UNCONFIRMED_OUTCOME,
        f"link `{link.name}` says `outcome_changed {claimed}`, but on the causal graph it is "
        f"{computed} for `{override.cause.id}` and `{override.effect.id}`{others}",
        link.span,
        label="the graph does not confirm this link's outcome",
        help="leave out `outcome_changed` (it is computed from the graph), or say with "
        "`necessity` what the effect really needs",
    )


def _shared_effects(links: Sequence[Link], edges: Sequence[CausalEdge]) -> Iterator[Diagnostic]:
    """Necessary links that give one effect several causes: then none of them is decisive."""
    causes = Counter((edge.spec, edge.effect.id) for edge in edges)
    shared: dict[str, list[str]] = {}
    for (spec, effect), count in causes.items():
        if count > 1:
            shared.setdefault(spec, []).append(effect)
    for link in links:
        effects = sorted(shared.get(link.name, ()))
        if effects and link.necessity == "necessary":
            yield Diagnostic(
                codes.SHARED_EFFECT,
                f"link `{link.name}` gives {len(effects)} of its effects several causes, "
                f"`{effects[0]}` for one: each could be missing as long as another is there",
                link.span,
                label="necessary, but not alone",
                help="say `necessity sufficient` where that is meant, `necessity each` where "
                "every cause is needed, or `match nearest` for one cause an effect",
            )
