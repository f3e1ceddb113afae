"""OpenAPI documents: a tool for every operation, each schema whole."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fusion_contracts.errors import FusionError
from fusion_contracts.model import ServerContract
from fusion_contracts.sources.base import Options
from fusion_contracts.sources.catalog import CatalogSource

PETS = """\
openapi: 3.0.3
info: {title: Pets, version: 2018-02-01}
paths:
  /pets:
    get:
      operationId: listPets
      summary: List pets
      description: Lists all pets.
      parameters:
        - {name: limit, in: query, schema: {type: integer, minimum: 0, exclusiveMinimum: true, nullable: true}}
        - {$ref: '#/components/parameters/Tenant'}
        - {name: Accept, in: header, schema: {type: string}}
      responses:
        200:
          description: ok
          content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Pet'}}}}
    post:
      requestBody: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}}
      responses: {'201': {description: ok}}
  /pets/{id}:
    parameters:
      - {name: id, in: path, required: true, schema: {type: string}, description: The id}
    delete: {operationId: drop, deprecated: true, responses: {'204': {description: gone}}}
components:
  parameters:
    Tenant: {name: X-Tenant, in: header, required: true, schema: {type: string}, description: Whose pets}
  schemas:
    Pet:
      type: object
      required: [id, name]
      properties:
        id: {type: integer, readOnly: true}
        name: {type: string, enum: [yes, no]}
        born: {type: string, example: 2018-02-01}
        parent: {$ref: '#/components/schemas/Pet'}
"""


def contract(text: str, options: Options, name: str = "pets.yaml") -> ServerContract:
    (options.root / name).write_text(text, encoding="utf-8")
    reading = CatalogSource(Path(name)).read(options)
    assert (reading.problems, reading.notes) == ((), ())
    (one,) = reading.contracts
    return one


def failure(document: Any, options: Options) -> str:
    text = document if isinstance(document, str) else json.dumps(document)
    with pytest.raises(FusionError) as caught:
        contract(text, options, "api.json" if not isinstance(document, str) else "api.yaml")
    return str(caught.value)


PET = {
    "type": "object",
    "properties": {
        "id": {"type": "integer", "readOnly": True},
        "name": {"type": "string", "enum": ["yes", "no"]},
        "born": {"type": "string", "example": "2018-02-01"},
        "parent": {"$ref": "#/$defs/Pet"},
    },
}


def test_every_operation_is_a_tool(options: Options) -> None:
    found = contract(PETS, options)
    assert (found.name, found.info) == ("pets", {"name": "Pets", "version": "2018-02-01"})
    assert list(found.tools) == ["drop", "listPets", "post_pets"]
    drop, listing, post = found.tools.values()
    assert drop.meta == {"openapi": {"method": "DELETE", "path": "/pets/{id}", "deprecated": True}}
    assert (listing.title, listing.description) == ("List pets", "Lists all pets.")
    assert drop.input_schema == {
        "type": "object",
        "properties": {
            "path": {
                "type": "object",
                "properties": {"id": {"type": "string", "description": "The id"}},
                "required": ["id"],
            }
        },
        "required": ["path"],
    }
    assert listing.input_schema == {
        "type": "object",
        "properties": {
            "query": {"type": "object", "properties": {"limit": {"type": ["integer", "null"], "exclusiveMinimum": 0}}},
            "header": {
                "type": "object",
                "properties": {"X-Tenant": {"type": "string", "description": "Whose pets"}},
                "required": ["X-Tenant"],
            },
        },
        "required": ["header"],
    }
    assert post.input_schema == {
        "type": "object",
        "properties": {"body": {"$ref": "#/$defs/Pet"}},
        "required": ["body"],
        "$defs": {"Pet": {**PET, "required": ["name"]}},  # nobody sends what is only read
    }
    assert listing.output_schema == {
        "type": "array",
        "items": {"$ref": "#/$defs/Pet"},
        "$defs": {"Pet": {**PET, "required": ["id", "name"]}},
    }
    assert (post.output_schema, drop.output_schema) == (None, None)


def test_json_and_yaml_are_the_same(options: Options) -> None:
    import yaml

    document = yaml.load(PETS, yaml.BaseLoader)  # texts alone
    value = json.loads(json.dumps(document).replace('"true"', "true").replace('"0"', "0"))
    assert contract(json.dumps(value), options, "pets.json").tools == contract(PETS, options).tools


def test_version_3_1_is_2020_12_already(options: Options) -> None:
    schema = {"type": ["string", "null"], "const": "a", "exclusiveMinimum": 1}
    body = {"content": {"application/vnd.api+json; charset=utf-8": {"schema": schema}}}
    operation = {"requestBody": body, "responses": {"2XX": {"content": {"*/*": {"schema": {"type": "object"}}}}}}
    document = {"openapi": "3.1.1", "info": {"title": "A"}, "paths": {"/": {"post": operation}, "x-note": 1}}
    (tool,) = contract(json.dumps(document), options, "api.json").tools.values()
    assert tool.name == "post"
    assert tool.input_schema == {"type": "object", "properties": {"body": schema}}
    assert tool.output_schema == {"type": "object"}


def test_references_of_every_kind(options: Options) -> None:
    document = {
        "openapi": "3.1.0",
        "info": {"title": "A", "version": "1"},
        "paths": {"/a": {"$ref": "#/components/pathItems/A"}},
        "components": {
            "pathItems": {"A": {"get": {"requestBody": {"$ref": "#/components/requestBodies/B"}}}},
            "requestBodies": {
                "B": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/a~1b"}}}}
            },
            "schemas": {
                "a/b": {"type": "object", "properties": {"$ref": {"$ref": "other.json#/x"}, "c": {"$ref": "#/paths"}}}
            },
        },
    }
    (tool,) = contract(json.dumps(document), options, "api.json").tools.values()
    assert tool.input_schema["properties"] == {"body": {"$ref": "#/$defs/a~1b"}}
    assert tool.input_schema["$defs"]["a/b"]["properties"] == {
        "$ref": {"$ref": "other.json#/x"}, "c": {"$ref": "#/$defs/paths"},
    }  # fmt: skip


OPEN = {"openapi": "3.1.0", "info": {"title": "A"}}
NEXT = "check that it is the right file, and complete"


@pytest.mark.parametrize(
    ("document", "sentence"),
    [
        (
            {"swagger": "2.0", "info": {}, "paths": {}},
            "api.json is an OpenAPI document of version 2.0; give one of version 3.0 or 3.1",
        ),
        ({**OPEN, "paths": []}, "api.json is an OpenAPI document whose paths are no object; correct it"),
        (
            {**OPEN, "paths": {"/a": {"get": {"parameters": [{"$ref": "params.yaml#/x"}]}}}},
            "api.json: GET /a refers to params.yaml#/x, which is not in it; bundle the document into one file first",
        ),
        (
            {**OPEN, "paths": {"/a": {"$ref": "#/paths/~1a"}}},
            "api.json: /a holds what is no object; correct it",
        ),
        ({**OPEN, "paths": {"/a": 5}}, "api.json: /a holds what is no object; correct it"),
        ("a: [1", f"api.yaml is not YAML: line 1, column 6: expected ',' or ']', but got '<stream end>'; {NEXT}"),
        ("a: 1\na: 2", f'api.yaml holds the key "a" twice in one object: line 2; {NEXT}'),
        ("? [a]\n: 1", f"api.yaml has a key that is no text: line 1; {NEXT}"),
        ("a: &x [*x]", f"api.yaml holds an alias of what it stands in: line 1; {NEXT}"),
        (f"a: {'9' * 5000}", f"api.yaml holds a number that is too long: line 1; {NEXT}"),
        ("a: 1\n--- \nb: 2", f"api.yaml is not YAML: line 2, column 1: but found another document; {NEXT}"),
    ],
)
def test_what_is_wrong_is_one_sentence(options: Options, document: Any, sentence: str) -> None:
    assert failure(document, options) == sentence


def test_aliases_that_multiply_are_not_followed_for_ever(options: Options, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fusion_contracts.sources.yaml_text.MAX_VALUES", 10_000)
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    assert "says more than is read" in failure("\n".join(lines), options)


def test_yaml_says_what_its_core_schema_says(options: Options) -> None:
    from fusion_contracts.sources.yaml_text import yaml_loads

    text = "[no, on, yes, 012, 0x1F, 1_000, 2018-02-01, 1e3, 1.5, -3, true, ~, null, '', '1', <<, =, 12:30:45, .inf]"
    assert yaml_loads(text, "x") == [
        "no", "on", "yes", 12, "0x1F", "1_000", "2018-02-01", 1000.0, 1.5, -3, True, None, None, "", "1", "<<", "=",
        "12:30:45", ".inf",
    ]  # fmt: skip


def test_without_the_library_there_are_two_ways_out(options: Options, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "yaml", None)
    assert failure(PETS, options) == (
        "api.yaml is YAML, which needs the library pyyaml beside fusion; pip install pyyaml, or save it as JSON"
    )
