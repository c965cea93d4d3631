"""The preprint's YAML domain config, as far as it says something about a contract."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Name = Annotated[str, Field(pattern=r"^[^`\r\n\x00]+$")]
"""What the language can say as a name, in backticks where need be."""
Days = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class _Part(BaseModel):
    """Unknown keys are kept, so that the importer can list what it does not translate."""

    model_config = ConfigDict(extra="allow", frozen=True)

    def left_over(self) -> list[str]:
        """The keys that the model does not know."""
        return sorted(self.model_extra or {})


class RoleConfig(_Part):
    """What a role may use, and of what it hears."""

    subsystems: list[Name] = Field(default_factory=list)
    broadcast_event_types: list[Name] = Field(default_factory=list)


class JoinConfig(_Part):
    """`cause` is also the trigger's side, `effect` the response's: dotted paths into an event."""

    cause: str
    effect: str


class LinkConfig(_Part):
    """One causal link between two types of events."""

    name: Name
    cause_event_type: Name
    effect_event_type: Name
    premise_template: str | None = None
    outcome_template: str | None = None
    outcome_changed: bool | None = None
    max_gap_days: Days | None = None
    join: list[JoinConfig] = Field(default_factory=list)
    mechanism_aliases: list[str] = Field(default_factory=list)


class PlaceConfig(_Part):
    """A place to look: a search, an artifact to open, or both."""

    subsystem: Name
    query_template: str | None = None
    id_template: str | None = None


class SilenceConfig(_Part):
    """An event that should follow another one, and where its absence would show."""

    trigger_event_type: Name
    response_event_type: Name
    max_gap_days: Days | None = None
    search_space_subsystems: list[Name] = Field(default_factory=list)
    search_space: list[PlaceConfig] = Field(default_factory=list)
    join: list[JoinConfig] = Field(default_factory=list)


class DomainConfig(_Part):
    """The whole file."""

    artifacts_dir: str | None = None
    actors: dict[Name, Name] = Field(default_factory=dict)
    roles: dict[Name, RoleConfig] = Field(default_factory=dict)
    causal_links: list[LinkConfig] = Field(default_factory=list)
    silence_pairs: list[SilenceConfig] = Field(default_factory=list)
    seed: int | None = None
