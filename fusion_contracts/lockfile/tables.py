"""A contract's parts as the plain tables that the lock stores: what equals its default is left out.

The names are the lock's own; `reader` is the way back. Digests are added by `codec`.
"""

from __future__ import annotations

from typing import Any

from fusion_contracts.model import (
    Prompt,
    PromptArgument,
    Resource,
    ResourceTemplate,
    ServerContract,
    SourceRecord,
    Tool,
)

__all__ = ["prompt_table", "resource_table", "server_table", "source_table", "tool_table"]

Table = dict[str, Any]


def tool_table(tool: Tool) -> Table:
    """One tool. The order of the sub-tables is the order in which a reader meets them."""
    return (
        _filled(
            title=tool.title,
            description=tool.description,
            annotations=tool.annotations,
            execution=tool.execution,
            meta=tool.meta,
            extra=tool.extra,
        )
        | {"input": tool.input_schema}
        | _given("output", tool.output_schema)
    )


def prompt_table(prompt: Prompt) -> Table:
    """One prompt. Its arguments are an array, because their order counts."""
    return _filled(
        title=prompt.title,
        description=prompt.description,
        arguments=[_argument_table(argument) for argument in prompt.arguments],
        meta=prompt.meta,
        extra=prompt.extra,
    )


def _argument_table(argument: PromptArgument) -> Table:
    return {"name": argument.name} | _filled(
        required=argument.required, description=argument.description, extra=argument.extra
    )


def resource_table(resource: Resource | ResourceTemplate) -> Table:
    """One resource or resource template; its URI is the table's name."""
    return _filled(fields=resource.fields)


def server_table(contract: ServerContract) -> Table:
    """What concerns the server as a whole, and where its contract came from."""
    return _filled(
        protocol_version=contract.protocol_version,
        instructions=contract.instructions,
        source=source_table(contract.source) if contract.source else None,
        info=contract.info,
        capabilities=contract.capabilities,
    )


def source_table(source: SourceRecord) -> Table:
    """Where a contract came from."""
    return {"kind": source.kind} | _filled(
        command=list(source.command),
        url=source.url,
        path=source.path,
        object=source.object,
        pass_env=list(source.pass_env),
        env=dict(source.env),
        headers=dict(source.headers),
    )


def _filled(**values: Any) -> Table:
    """Without what is absent: None, false, and empty arrays and objects. Empty text is something."""
    return {name: value for name, value in values.items() if value or value == ""}


def _given(name: str, value: Any) -> Table:
    return {} if value is None else {name: value}
