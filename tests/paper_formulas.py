"""The preprint's three scorers as formulas in plain Python: a second statement to compare with.

Nothing here uses the package. A question's truth, an answer and a list of calls (dicts with
`results` and `breaks`) go in; answer, correct, trajectory, combined, broken calls and calls come
out, none of them rounded. Source: the preprint's tables and `tracks/paper/*.gev`, whose rules these
restate.
"""

from __future__ import annotations

from typing import Any, NamedTuple

Call = dict[str, Any]
Truth = dict[str, Any]


class Paper(NamedTuple):
    answer: float
    correct: bool
    trajectory: float
    combined: float
    broken: int
    calls: int


def adjusted(combined: float, v: float) -> float:
    return combined * (1 - v) * (1 - v)


def score(
    kind: str, truth: Truth, answer: dict[str, Any], calls: list[Call], cited: set[str]
) -> Paper:
    scorer = {"perspective": perspective, "counterfactual": counterfactual, "silence": silence}[
        kind
    ]
    weight = {"perspective": 0.4, "counterfactual": 0.5, "silence": 0.3}[kind]
    points, correct, path = scorer(truth, answer, calls, cited)
    broken = sum(1 for c in calls if c["breaks"])
    total = weight * points + (1 - weight) * path
    return Paper(points, correct, path, total, broken, len(calls))


def perspective(
    truth: Truth, answer: dict[str, Any], calls: list[Call], cited: set[str]
) -> tuple[float, bool, float]:
    evidence, visible = set(truth["evidence_artifacts"]), set(truth["visible"])
    required = evidence & visible
    said = names(answer, "evidence_artifacts")
    right = yes_no(answer.get("could_actor_have_known")) is truth["could_actor_have_known"]
    points = 0.0
    if right:
        closed, blocked = set(truth["blocked_subsystems"]), names(answer, "blocked_subsystems")
        share = part(blocked, closed) if closed else float(not blocked)
        points = 0.6 + 0.2 * share + 0.2 * (part(said, evidence) if evidence else 1)
    if not calls:
        if not cited:
            return points, right, 0.0
        kept = len(cited & visible) / len(cited) if visible else 1.0
        return points, right, 0.5 * kept + 0.5 * (part(cited, required) if required else 1)
    named = evidence & said
    if evidence and visible:
        grounding = part(named, required) if required else 1.0
    else:
        grounding = float(bool(named))
    path = 0.30 * clean(calls, "actor") + 0.25 * clean(calls, "subsystem")
    path += 0.20 * grounding + 0.15 * clean(calls, "horizon") + 0.10 * recovery(calls)
    return points, right, path


def counterfactual(
    truth: Truth, answer: dict[str, Any], calls: list[Call], cited: set[str]
) -> tuple[float, bool, float]:
    labels = {label(m) for m in [truth["causal_mechanism"], *truth["mechanism_aliases"]]}
    given = answer.get("causal_mechanism")
    mechanism = isinstance(given, str) and label(given) in labels
    changed = yes_no(answer.get("outcome_changed"))
    evidence = set(truth["evidence_artifacts"])
    points = 0.0
    if changed is not None:
        said, actors = names(answer, "evidence_artifacts"), set(truth["actors"])
        points += 0.20 * (changed is truth["outcome_changed"]) + 0.20 * mechanism
        points += 0.20 * (answer.get("cause_event_id") == truth["cause_event_id"])
        points += 0.20 * (answer.get("effect_event_id") == truth["effect_event_id"])
        points += 0.10 * (answer.get("mechanism_direction") == truth["mechanism_direction"])
        points += 0.05 * (part(said, evidence) if evidence else 1)
        points += 0.05 * (not actors or bool(names(answer, "actors") & actors))
    got = cited.union(*(c["results"] for c in calls))
    path = 0.20 * bool(got & set(truth["cause_artifacts"])) + 0.20 * bool(
        got & set(truth["effect_artifacts"])
    )
    path += 0.35 * (part(got, evidence) if evidence else 1)
    path += 0.15 * clean(calls, "horizon") + 0.10 * mechanism
    return points, round(points, 9) >= 0.80, path


def silence(
    truth: Truth, answer: dict[str, Any], calls: list[Call], cited: set[str]
) -> tuple[float, bool, float]:
    read = [yes_no(answer.get(field)) for field in ("exists", "found", "answer")]
    said = next((x for x in read if x is not None), None)
    right = said is truth["exists"]
    required = set(truth["required"])
    got = cited.union(*(c["results"] for c in calls))
    share = part(got, required) if required else 1.0
    if not calls and cited:
        return float(right), right, 0.5 * share + 0.5 * (share >= 0.5)
    return float(right), right, 0.5 * share + 0.3 * share + 0.2 * clean(calls, "horizon")


def yes_no(value: object) -> bool | None:
    if isinstance(value, str):
        return {"true": True, "yes": True, "false": False, "no": False}.get(value.strip().lower())
    return value if isinstance(value, bool) else None


def label(text: str) -> str:
    folded = "".join("_" if c in "- _\t\n" else c for c in text.strip().lower())
    while "__" in folded:
        folded = folded.replace("__", "_")
    return folded


def names(answer: dict[str, Any], field: str) -> set[str]:
    return set(answer.get(field) or [])


def part(some: set[str], whole: set[str]) -> float:
    return len(some & whole) / len(whole)


def clean(calls: list[Call], gate: str) -> float:
    if not calls:
        return 1.0
    return 1 - sum(1 for c in calls if gate in c["breaks"]) / len(calls)


def recovery(calls: list[Call]) -> float:
    dead = [i for i, c in enumerate(calls) if not c["results"]]
    if not dead:
        return 1.0
    return sum(1 for i in dead if i + 1 < len(calls) and calls[i + 1]["results"]) / len(dead)
