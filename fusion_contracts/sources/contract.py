"""The step from a listing to a contract: noise out, malformed entries refused by name, the rest kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from fusion_contracts.canonical import printable, shortened
from fusion_contracts.errors import FusionError, Problem
from fusion_contracts.model import (
    JsonObject,
    JsonValue,
    Prompt,
    PromptArgument,
    Resource,
    ResourceTemplate,
    ServerContract,
    SourceRecord,
    Tool,
)
from fusion_contracts.sources.base import Listing, Reading, VolatileRule
from fusion_contracts.sources.noise import (
    capabilities_without_noise,
    entry_without_noise,
    info_without_noise,
    tool_without_noise,
)
from fusion_contracts.sources.volatile import Scrubber

__all__ = ["contract_of"]

_TOOL_FIELDS = frozenset(
    {"name", "title", "description", "inputSchema", "outputSchema", "annotations", "execution", "_meta"}
)
_PROMPT_FIELDS = frozenset({"name", "title", "description", "arguments", "_meta"})
_ARGUMENT_FIELDS = frozenset({"name", "description", "required"})
_NEXT = "correct it in the server; its old entry stays in the lock and the rest is read"
_NEXT_OTHER = "correct it in the server; the rest is read"


class _MalformedError(Exception):
    """What is wrong with one entry of a listing."""


class _Builder:
    """Builds one contract and collects what people should know about it."""

    def __init__(self, server: str, scrubber: Scrubber) -> None:
        self.server = server
        self.scrubber = scrubber
        self.problems: list[Problem] = []
        self.notes: list[str] = []
        self.refused: set[str] = set()

    def shown(self, name: str) -> str:
        """A name for people: without a secret, and not so long that it hides what is said about it."""
        return shortened(self.scrubber.conceal(name))

    def refuse(self, what: str, reason: str, next_step: str = _NEXT) -> None:
        self.problems.append(Problem(self.server, "normalise", f"{what} is refused: {reason}", next_step))

    def note(self, text: str) -> None:
        self.notes.append(f"{printable(self.server)}: {text}")


def contract_of(
    listing: Listing,
    *,
    name: str,
    source: SourceRecord | None = None,
    volatile: Sequence[VolatileRule] = (),
    hidden: Mapping[str, str] | None = None,
) -> Reading:
    """Turn what a server listed into the reading of its contract.

    `name` is the lock's NAME; `hidden` maps secret values that the server was given to the variables that held them.
    A malformed tool is refused by name and reported; every other entry is kept.
    """
    scrubber = Scrubber(name, volatile, hidden)
    builder = _Builder(name, scrubber)
    tools = _tools(builder, listing.tools)
    own: JsonObject = {"serverInfo": info_without_noise(listing.info), "instructions": listing.instructions}
    own |= {"capabilities": capabilities_without_noise(listing.capabilities)}
    own |= {
        "prompts": _keyed(builder, listing.prompts, "prompt", "name"),
        "resources": _keyed(builder, listing.resources, "resource", "uri"),
        "resourceTemplates": _keyed(builder, listing.resource_templates, "resource template", "uriTemplate"),
    }
    own = scrubber.scrub(own)
    others = [own["serverInfo"], own["capabilities"], *own["resources"].values(), *own["resourceTemplates"].values()]
    if variable := scrubber.secret_key(others):
        raise FusionError(f"names a key by the value of {variable}", "correct the server", server=name, stage="list")
    contract = ServerContract(
        name=name,
        protocol_version=listing.protocol_version and scrubber.conceal(listing.protocol_version),
        info=own["serverInfo"],
        capabilities=own["capabilities"],
        instructions=own["instructions"],
        tools=tools,
        prompts=_prompts(builder, own["prompts"]),
        resources={uri: Resource(uri, _rest(raw, "uri")) for uri, raw in own["resources"].items()},
        resource_templates={
            uri: ResourceTemplate(uri, _rest(raw, "uriTemplate")) for uri, raw in own["resourceTemplates"].items()
        },
        source=source,
    )
    return _reading(builder, contract, listing)


def _reading(builder: _Builder, contract: ServerContract, listing: Listing) -> Reading:
    for variable in sorted(builder.scrubber.concealed):
        builder.note(f"the value of {variable} stood in its listing; stored as ${{{variable}}}")
    for section, reason in listing.unlisted.items():
        message = f"its {section.replace('_', ' ')} could not be listed: {reason}"
        problem = Problem(contract.name, "list", message, "their old entries stay in the lock; run it again")
        builder.problems.append(problem)
    return Reading(
        contracts=(contract,),
        problems=tuple(builder.problems),
        refused={contract.name: frozenset(builder.refused)} if builder.refused else {},
        notes=(*(f"{printable(contract.name)}: {note}" for note in listing.notes), *builder.notes),
        unread={contract.name: frozenset(listing.unlisted)} if listing.unlisted else {},
    )


def _tools(builder: _Builder, listed: Sequence[JsonValue]) -> dict[str, Tool]:
    names = Counter(_name(raw, "name") for raw in listed)
    tools: dict[str, Tool] = {}
    for position, raw in enumerate(listed, start=1):
        name = _name(raw, "name")
        if name is None:
            builder.refuse(f"tool {position} of {len(listed)}", _nameless(raw))
        elif names[name] > 1:
            if name not in builder.refused:
                builder.refused.add(name)
                builder.refuse(f"tool {builder.shown(name)}", f"it is listed {_times(names[name])}")
        else:
            try:
                tools[name] = _tool(builder, name, raw)
            except _MalformedError as error:
                builder.refused.add(name)
                builder.refuse(f"tool {builder.shown(name)}", str(error))
    return dict(sorted(tools.items()))


def _tool(builder: _Builder, name: str, raw: JsonObject) -> Tool:
    tool = builder.scrubber.scrub(tool_without_noise(raw), tool=name)
    _no_secret_names(builder, name, tool)
    return Tool(
        name=name,
        input_schema=_input_schema(builder, name, tool),
        title=_text(tool, "title"),
        description=_text(tool, "description"),
        output_schema=_output_schema(tool),
        annotations=_map(tool, "annotations"),
        execution=_map(tool, "execution"),
        meta=_map(tool, "_meta"),
        extra={key: value for key, value in tool.items() if key not in _TOOL_FIELDS},
    )


def _no_secret_names(builder: _Builder, name: str, entry: JsonValue) -> None:
    """Refuse an entry that names something by a secret: a name is an identity and cannot be replaced."""
    variable = builder.scrubber.held_by(name) or builder.scrubber.secret_key(entry)
    if variable:
        raise _MalformedError(f"a name in it holds the value of {variable}")


def _input_schema(builder: _Builder, name: str, tool: JsonObject) -> JsonObject:
    schema = tool.get("inputSchema")
    if schema is None:
        said = "null" if "inputSchema" in tool else "missing"
        says = "which says that there are no arguments; read as an empty object"
        builder.note(f"tool {builder.shown(name)}: its input schema is {said}, {says}")
        return {}
    if not isinstance(schema, dict):
        raise _MalformedError(f"its input schema is {_kind(schema)}, neither a JSON object nor null")
    kind = schema.get("type")
    if kind is not None and kind != "object" and not (isinstance(kind, list) and "object" in kind):
        said = f'its input schema has the type {_shown(kind)}, not "object"; kept as it is'
        builder.note(f"tool {builder.shown(name)}: {said}")
    return schema


def _output_schema(tool: JsonObject) -> JsonValue:
    schema = tool.get("outputSchema")
    if schema is None or isinstance(schema, (dict, bool)):
        return schema
    raise _MalformedError(f"its output schema is {_kind(schema)}, neither a JSON object nor null")


def _keyed(builder: _Builder, listed: Sequence[JsonValue], what: str, key: str) -> dict[str, JsonObject]:
    """The entries of a section by their key, sorted and without noise; malformed ones are reported and left out.

    Servers list one resource twice without harm; only entries that contradict each other are refused.
    """
    found: dict[str, list[JsonObject]] = {}
    for position, raw in enumerate(listed, start=1):
        entry = entry_without_noise(raw) if isinstance(raw, dict) else raw
        name = _name(entry, key)
        if name is not None:
            name = name if key == "name" else builder.scrubber.conceal(name)  # a URI may hold a password
            found.setdefault(name, []).append(entry)
        else:
            builder.refuse(f"{what} {position} of {len(listed)}", _nameless(entry, key), _NEXT_OTHER)
    for name in [name for name, entries in found.items() if any(entry != entries[0] for entry in entries)]:
        reason = f"it is listed {_times(len(found.pop(name)))}, each time otherwise"
        builder.refuse(f"{what} {builder.shown(name)}", reason, _NEXT_OTHER)
    return {name: entries[0] for name, entries in sorted(found.items())}


def _prompts(builder: _Builder, listed: Mapping[str, JsonObject]) -> dict[str, Prompt]:
    prompts: dict[str, Prompt] = {}
    for name, raw in listed.items():
        try:
            _no_secret_names(builder, name, raw)
            prompts[name] = Prompt(
                name=name,
                title=_text(raw, "title"),
                description=_text(raw, "description"),
                arguments=_arguments(raw.get("arguments")),
                meta=_map(raw, "_meta"),
                extra={key: value for key, value in raw.items() if key not in _PROMPT_FIELDS},
            )
        except _MalformedError as error:
            builder.refuse(f"prompt {builder.shown(name)}", str(error), _NEXT_OTHER)
    return prompts


def _arguments(listed: JsonValue) -> tuple[PromptArgument, ...]:
    if listed is None:
        return ()
    if not isinstance(listed, list):
        raise _MalformedError(f"its arguments are {_kind(listed)}, not a list")
    found = []
    for raw in listed:
        name = _name(raw, "name")
        if name is None:
            raise _MalformedError("one of its arguments has no name")
        required = raw.get("required")
        if required is not None and not isinstance(required, bool):
            said = f"has {_kind(required)} for required, not true or false"
            raise _MalformedError(f"the argument {printable(name)} {said}")
        extra = {key: value for key, value in raw.items() if key not in _ARGUMENT_FIELDS and value is not None}
        found.append(PromptArgument(name, bool(required), _text(raw, "description"), extra))
    return tuple(found)


def _name(raw: JsonValue, key: str) -> str | None:
    """The name of an entry, where it has one that can be one."""
    name = raw.get(key) if isinstance(raw, dict) else None
    return name if isinstance(name, str) and name else None


def _nameless(raw: JsonValue, key: str = "name") -> str:
    if not isinstance(raw, dict):
        return f"it is {_kind(raw)}, not a JSON object"
    if raw.get(key) is None:
        return f"it has no {key}"
    return f"its {key} is empty" if raw[key] == "" else f"its {key} is {_kind(raw[key])}, not a text"


def _text(raw: JsonObject, key: str) -> str | None:
    value = raw.get(key)
    if value is None or isinstance(value, str):
        return value
    raise _MalformedError(f"its {key} is {_kind(value)}, not a text")


def _map(raw: JsonObject, key: str) -> JsonObject:
    value = raw.get(key)
    if value is None:
        return {}
    if isinstance(value, dict):
        return value
    raise _MalformedError(f"its {key} is {_kind(value)}, not a JSON object")


def _rest(raw: JsonObject, key: str) -> JsonObject:
    return {name: value for name, value in raw.items() if name != key}


def _kind(value: JsonValue) -> str:
    """What a JSON value is, in words."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    for kind, words in ((str, "a text"), (list, "a list"), (dict, "a JSON object")):
        if isinstance(value, kind):
            return words
    return "a number"


def _shown(kind: JsonValue) -> str:
    words = [f'"{printable(str(one))}"' for one in (kind if isinstance(kind, list) else [kind])]
    return " or ".join(words)[:100]


def _times(count: int) -> str:
    return "twice" if count == 2 else f"{count} times"  # noqa: PLR2004 - the word for two
