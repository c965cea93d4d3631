"""The preprint's YAML domain config, as far as it says something about a contract."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class _Part(BaseModel):
    """Unknown keys are kept, so that the importer can list what it does not translate."""

    model_config = ConfigDict(extra="allow", frozen=True)

    def left_over(self) -> list[str]:
        """The keys that the model does not know."""
        return sorted(self.model_extra or {})


class RoleConfig(_Part):
    subsystems: list[str] = Field(default_factory=list)
    broadcast_event_types: list[str] = Field(default_factory=list)


class JoinConfig(_Part):
    """`cause` is also the trigger's side, `effect` the response's: dotted paths into an event."""

    cause: str
    effect: str


class LinkConfig(_Part):
    name: str
    cause_event_type: str
    effect_event_type: str
    premise_template: str | None = None
    outcome_template: str | None = None
    outcome_changed: bool | None = None
    max_gap_days: float | None = None
    join: list[JoinConfig] = Field(default_factory=list)
    mechanism_aliases: list[str] = Field(default_factory=list)


class PlaceConfig(_Part):
    subsystem: str
    query_template: str | None = None
    id_template: str | None = None


class SilenceConfig(_Part):
    trigger_event_type: str
    response_event_type: str
    max_gap_days: float | None = None
    search_space_subsystems: list[str] = Field(default_factory=list)
    search_space: list[PlaceConfig] = Field(default_factory=list)
    join: list[JoinConfig] = Field(default_factory=list)


class DomainConfig(_Part):
    """The whole file."""

    artifacts_dir: str | None = None
    actors: dict[str, str] = Field(default_factory=dict)
    roles: dict[str, RoleConfig] = Field(default_factory=dict)
    causal_links: list[LinkConfig] = Field(default_factory=list)
    silence_pairs: list[SilenceConfig] = Field(default_factory=list)
    seed: int | None = None


Raw = dict[str, Any]
