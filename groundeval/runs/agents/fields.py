"""The answer fields of the bundled tracks, as an agent reads them in a question's answer schema.

The only place where Python names them. The engine knows no track; the agents here are users of
those that come with it, and have to fill in what is asked for.
"""

from __future__ import annotations

from typing import Final

KNOWN: Final = "could_actor_have_known"
BLOCKED: Final = "blocked_subsystems"
CHANGED: Final = "outcome_changed"
MECHANISM: Final = "causal_mechanism"
CAUSE: Final = "cause_event_id"
EFFECT: Final = "effect_event_id"
EXISTS: Final = "exists"
EVIDENCE: Final = "evidence_artifacts"
ACTORS: Final = "actors"
