"""Contract values as MCP lists them: the documents that pointers are relative to."""

from __future__ import annotations

from fusion_contracts.model import JsonObject, Prompt, ServerContract, Tool

__all__ = ["prompt_document", "server_document", "tool_document"]


def tool_document(tool: Tool) -> JsonObject:
    """One tool as `tools/list` gives it; what is absent is left out."""
    found: JsonObject = {"name": tool.name, "inputSchema": tool.input_schema}
    optional = {
        "title": tool.title,
        "description": tool.description,
        "outputSchema": tool.output_schema,
        "annotations": tool.annotations or None,
        "execution": tool.execution or None,
        "_meta": tool.meta or None,
    }
    return {**found, **{key: value for key, value in optional.items() if value is not None}, **tool.extra}


def prompt_document(prompt: Prompt) -> JsonObject:
    """One prompt as `prompts/list` gives it; what is absent is left out."""
    arguments = []
    for argument in prompt.arguments:
        entry: JsonObject = {"name": argument.name, **argument.extra}
        if argument.description is not None:
            entry["description"] = argument.description
        if argument.required:
            entry["required"] = True
        arguments.append(entry)
    found: JsonObject = {"name": prompt.name}
    optional = {
        "title": prompt.title,
        "description": prompt.description,
        "arguments": arguments or None,
        "_meta": prompt.meta or None,
    }
    return {**found, **{key: value for key, value in optional.items() if value is not None}, **prompt.extra}


def server_document(contract: ServerContract) -> JsonObject:
    """Everything of a server but its tools: prompts by name, resources and templates by URI."""
    return {
        "instructions": contract.instructions,
        "serverInfo": contract.info,
        "capabilities": contract.capabilities,
        "prompts": {name: prompt_document(prompt) for name, prompt in contract.prompts.items()},
        "resources": {uri: resource.fields for uri, resource in contract.resources.items()},
        "resourceTemplates": {uri: template.fields for uri, template in contract.resource_templates.items()},
    }
