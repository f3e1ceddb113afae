"""What differs between two contracts beside the schemas: typed facts, no judgement.

Making a dataclass costs a third of a millisecond at every start. So the facts that need no field of their own are
plain subclasses of one dataclass: the class says what happened, `name` to what.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from fusion_contracts.diff.findings import FindingSide
from fusion_contracts.model import JsonValue
from fusion_contracts.record import record

if TYPE_CHECKING:
    from fusion_contracts.schema.changes import Edit, SchemaChange

__all__ = [
    "ActionAdded", "ActionRemoved", "ActionRenamed", "AnyChange",
    "CapabilityAdded", "CapabilityRemoved", "CatalogGrew", "ContractChange", "DisplayTitleChanged", "ExecutionChanged",
    "Fact", "HintChanged", "IconsChanged", "InstructionsChanged", "InvisibleTextAdded", "OutputSchemaAdded",
    "OutputSchemaRemoved", "PromptAdded", "PromptArgumentAdded", "PromptArgumentRemoved",
    "PromptArgumentRequiredChanged", "PromptRemoved", "PromptRenamed", "ProseChanged", "ProtocolVersionChanged",
    "ResourceAdded", "ResourceChanged", "ResourceRemoved", "SchemaNarrowed", "ServerAdded", "ServerInfoChanged",
    "ServerNameChanged", "ServerRemoved", "ServerVersionChanged", "TemplateAdded", "TemplateRemoved",
    "TemplateVariablesChanged", "ToolAdded", "ToolRemoved", "ToolRenamed", "UnclassifiedChange", "Undecided",
    "VersionBumpMissing", "WaiverExpired", "WaiverUnmatched",
]  # fmt: skip


@record(kw_only=True)
class ContractChange:
    """One fact. `pointer` is relative to the tool, or to the contract; `before` and `after` as in a finding.

    `name` says for people what the fact is about, where its class and the tool do not say it.
    """

    pointer: str = ""
    name: str = ""
    before: JsonValue = None
    after: JsonValue = None


class ServerAdded(ContractChange):
    """A server is there that was not."""

    __slots__ = ()


class ServerRemoved(ContractChange):
    """A server is gone."""

    __slots__ = ()


class ServerNameChanged(ContractChange):
    """serverInfo's name changed (never the lock's NAME)."""

    __slots__ = ()


class ServerVersionChanged(ContractChange):
    """serverInfo's version changed."""

    __slots__ = ()


class ServerInfoChanged(ContractChange):
    """What serverInfo shows to people changed: title, icons, web site; `name` is the field."""

    __slots__ = ()


class ProtocolVersionChanged(ContractChange):
    """Another version of the protocol was negotiated."""

    __slots__ = ()


class InstructionsChanged(ContractChange):
    """The server's instructions changed, appeared or vanished."""

    __slots__ = ()


class CatalogGrew(ContractChange):
    """The tools cost a model more than the share that is allowed; `before` and `after` are tokens."""

    __slots__ = ()


class CapabilityAdded(ContractChange):
    """A capability is offered that was not; `name` is its dotted path."""

    __slots__ = ()


class CapabilityRemoved(ContractChange):
    """A capability is no longer offered; `name` is its dotted path."""

    __slots__ = ()


class ToolAdded(ContractChange):
    """A tool is there that was not."""

    __slots__ = ()


class ToolRemoved(ContractChange):
    """A tool is gone; `name` holds the name nearest to it among the tools that are left, "" when none is near."""

    __slots__ = ()


class ToolRenamed(ContractChange):
    """A tool is gone and its twin is there: `before` and `after` are the two names."""

    __slots__ = ()


class ActionAdded(ContractChange):
    """A grouped tool has an action that it had not; `name` is its key."""

    __slots__ = ()


class ActionRemoved(ContractChange):
    """A grouped tool lost an action; `name` is its key."""

    __slots__ = ()


class ActionRenamed(ContractChange):
    """An action of a grouped tool has another name; `after` is the new key."""

    __slots__ = ()


class ProseChanged(ContractChange):
    """The description of a tool, prompt, argument, resource or server changed; `name` says whose."""

    __slots__ = ()


class DisplayTitleChanged(ContractChange):
    """The title of a tool, prompt or resource changed; `name` says whose."""

    __slots__ = ()


class IconsChanged(ContractChange):
    """The icons of a tool, prompt or resource changed; `name` says whose."""

    __slots__ = ()


class ExecutionChanged(ContractChange):
    """How a tool may be run as a task changed; `before` and `after` are the modes, the default counted."""

    __slots__ = ()


class OutputSchemaAdded(ContractChange):
    """A tool promises structured output that promised none."""

    __slots__ = ()


class OutputSchemaRemoved(ContractChange):
    """A tool no longer promises structured output."""

    __slots__ = ()


@record(kw_only=True)
class HintChanged(ContractChange):
    """One of the four hints was written differently; `name` is the hint, `before` and `after` as written.

    `old` and `new` are the values with MCP's defaults counted; `matters`: the hint has an effect on this tool (those
    of a tool that only reads, before and after, have none).
    """

    old: bool
    new: bool
    matters: bool


@record(kw_only=True)
class InvisibleTextAdded(ContractChange):
    """Text that people cannot see entered the prose; `after` is the whole text, `hidden` the runs that are new."""

    hidden: tuple[str, ...]


class PromptAdded(ContractChange):
    """A prompt is there that was not."""

    __slots__ = ()


class PromptRemoved(ContractChange):
    """A prompt is gone."""

    __slots__ = ()


class PromptRenamed(ContractChange):
    """A prompt is gone and its twin is there: `before` and `after` are the two names."""

    __slots__ = ()


class PromptArgumentAdded(ContractChange):
    """A prompt takes one more argument; `after` is the argument, `name` is `prompt.argument`."""

    __slots__ = ()


class PromptArgumentRemoved(ContractChange):
    """A prompt takes an argument no longer; `before` is the argument."""

    __slots__ = ()


class PromptArgumentRequiredChanged(ContractChange):
    """An argument of a prompt became required, or optional: `before` and `after` say whether it must be given."""

    __slots__ = ()


class ResourceAdded(ContractChange):
    """A resource is there that was not; `name` is its URI."""

    __slots__ = ()


class ResourceRemoved(ContractChange):
    """A resource is gone; `name` is its URI."""

    __slots__ = ()


class ResourceChanged(ContractChange):
    """A field of a resource or template changed; `name` is `URI field`."""

    __slots__ = ()


class TemplateAdded(ContractChange):
    """A resource template is there that was not; `name` is its URI template."""

    __slots__ = ()


class TemplateRemoved(ContractChange):
    """A resource template is gone; `name` is its URI template."""

    __slots__ = ()


class TemplateVariablesChanged(ContractChange):
    """A resource template takes other variables; `before` and `after` are the URI templates."""

    __slots__ = ()


@record(kw_only=True)
class UnclassifiedChange(ContractChange):
    """A field that no other fact covers; `had` and `has` tell a missing field from null."""

    had: bool
    has: bool


@record(kw_only=True)
class VersionBumpMissing(ContractChange):
    """The declared version moved too little; `before` and `after` are the versions, `name` where it is declared.

    `since` is the release compared with, `least` what would do (`2.0.0 or later`), `bump` what kind of step that is
    (`a major bump`), "" where the version went back.
    """

    since: str
    least: str
    bump: str


class SchemaNarrowed(ContractChange):
    """Values that worked are refused, and no edit says through which change; `before` and `after` are the schemas."""

    __slots__ = ()


@record(kw_only=True)
class Undecided(ContractChange):
    """Whether a change breaks could not be decided; `name` tells the changes for people, `reason` says why."""

    reason: str


class WaiverExpired(ContractChange):
    """The last day of a waiver is over; `name` says what it accepted, `before` is that day."""

    __slots__ = ()


@record(kw_only=True)
class WaiverUnmatched(ContractChange):
    """A waiver that was added accepts nothing; `name` says what it would accept, `instead` what may be meant."""

    instead: str = ""


AnyChange: TypeAlias = "ContractChange | SchemaChange"


class Fact(NamedTuple):
    """A change at its place. `edit` is there for changes inside a schema: it says what the change does to old calls.

    `pointer` leads to the schema concerned, so that one group holds the same argument of many tools; `exact` to the
    keyword in it. `tool` is the old name of the tool concerned, None for what belongs to the server. `action` is the
    key of the action concerned, None for what belongs to the whole tool.
    """

    change: AnyChange
    side: FindingSide
    pointer: str
    tool: str | None = None
    edit: Edit | None = None
    exact: str | None = None
    action: str | None = None
