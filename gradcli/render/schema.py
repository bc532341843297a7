"""The JSON Schema (draft 2020-12) of what ``--format json`` prints."""

from __future__ import annotations

from typing import Any

from gradcli.notes import CODES

STRUCTURES = ("zero", "diagonal", "dense", "blocks", "selection", "terms")
SOURCES = ("given", "implicit-one", "ones", "loss")


def schema() -> dict[str, Any]:
    """One result or error object; ``notes.code`` lists every code with its meaning."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "gradcli",
        "description": "What gradcli --format json prints: a result, the verdicts on claims, or an error.",
        "oneOf": [{"$ref": "#/$defs/result"}, {"$ref": "#/$defs/verdicts"}, {"$ref": "#/$defs/error"}],
        "$defs": {
            "number": {
                "description": "A number at full precision, or a word where JSON has none.",
                "anyOf": [{"type": "number"}, {"enum": ["nan", "inf", "-inf"]}],
            },
            "numbers": _nested("number", "A scalar, or nested lists of numbers."),
            "texts": _nested("text", "A scalar's entry, or nested lists of entries: output axes first."),
            "text": {"type": "string"},
            "shape": _list({"type": "integer", "minimum": 0}),
            "tensor": _object(_tensor()),
            "statement": _object({**_tensor(), "gradient": _maybe(_ref("numbers")), "text": _ref("text")}),
            "root": _object({**_tensor(), "gradient": _maybe(_ref("numbers"))}),
            "leaf": _object(_leaf()),
            "pass": _object(
                {
                    "of": _ref("text"),
                    "upstream": _ref("numbers"),
                    "source": {"enum": list(SOURCES)},
                    "gradients": {"type": "object", "additionalProperties": _ref("numbers")},
                },
                optional=("gradients",),
            ),
            "alias": _object({"name": _ref("text"), "text": _ref("text")}),
            "form": _object({"matrix": _maybe(_ref("text")), "index": _ref("text"), "latex": _ref("text")}),
            "jacobian": _object(_jacobian()),
            "note": _object(
                {
                    "code": {"oneOf": [{"const": code, "description": said} for code, said in CODES.items()]},
                    "message": _ref("text"),
                    "name": _maybe(_ref("text")),
                    "index": _maybe(_ref("shape")),
                }
            ),
            "failure": _object({"path": _ref("text"), "message": _ref("text"), "details": _list(_ref("text"))}),
            "result": _object(_result(), optional=("failures",)),
            "verdicts": _object(
                {
                    "schema": {"const": 1},
                    "kind": {"const": "verdicts"},
                    "program": _ref("text"),
                    "right": {"type": "boolean"},
                    "claims": _list(_object(_verdict())),
                }
            ),
            "fault": _object(_fault()),
            "error": _object(
                {
                    "schema": {"const": 1},
                    "kind": {"const": "error"},
                    "name": _maybe(_ref("text")),
                    **_fault(),
                    "errors": _list(_ref("fault")),
                    "failures": _list(_ref("failure")),
                },
                optional=("name", "errors", "failures"),
            ),
        },
    }


def _ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/$defs/{name}"}


def _maybe(kind: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [kind, {"type": "null"}]}


def _list(kind: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": kind}


def _nested(kind: str, said: str) -> dict[str, Any]:
    own = "numbers" if kind == "number" else "texts"
    return {"description": said, "anyOf": [_ref(kind), _list(_ref(own))]}


def _object(properties: dict[str, Any], optional: tuple[str, ...] = ()) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": [key for key in properties if key not in optional],
        "additionalProperties": False,
    }


def _tensor() -> dict[str, Any]:
    return {"name": _ref("text"), "shape": _ref("shape"), "dtype": _ref("text"), "value": _ref("numbers")}


def _leaf() -> dict[str, Any]:
    return {
        **_tensor(),
        "gradient": _maybe(_ref("numbers")),
        "jacobian": _maybe(_ref("jacobian")),
        "closed_form": _maybe(_ref("form")),
        "agreement": _object({"closed_form": _maybe(_ref("number")), "finite_difference": _maybe(_ref("number"))}),
    }


def _jacobian() -> dict[str, Any]:
    return {
        "structure": {"enum": list(STRUCTURES)},
        "diagonal": _maybe(_ref("text")),
        "matrix": _maybe(_ref("text")),
        "index": _ref("text"),
        "latex": _ref("text"),
        "table": _maybe(_ref("texts")),
        "values": _maybe(_ref("numbers")),
        "differential": _maybe(_ref("text")),
    }


def _fault() -> dict[str, Any]:
    position = {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}]}
    return {
        "message": _ref("text"),
        "line": position,
        "column": position,
        "hint": _maybe(_ref("text")),
        "source": _maybe(_ref("text")),
    }


def _verdict() -> dict[str, Any]:
    counterexample = {
        "given": {"type": "boolean"},
        "leaves": {"type": "object", "additionalProperties": _ref("numbers")},
        "upstream": _ref("numbers"),
        "claimed": _maybe(_ref("numbers")),
        "torch": _ref("numbers"),
        "index": _maybe(_ref("shape")),
        "difference": _maybe(_ref("number")),
    }
    return {
        "leaf": _ref("text"),
        "of": {"enum": ["gradient", "jacobian"]},
        "claim": _ref("text"),
        "right": {"type": "boolean"},
        "points": {"type": "integer", "minimum": 0},
        "skipped": {"type": "integer", "minimum": 0},
        "reason": _maybe(_ref("text")),
        "slip": _maybe(_ref("text")),
        "counterexample": _maybe(_object(counterexample)),
        "closed_form": _maybe(_ref("form")),
        "legend": _list(_ref("alias")),
    }


def _result() -> dict[str, Any]:
    return {
        "schema": {"const": 1},
        "kind": {"const": "result"},
        "name": _maybe(_ref("text")),
        "program": _ref("text"),
        "device": _ref("text"),
        "loss": _maybe(_ref("text")),
        "zero_grad": {"type": "boolean"},
        "root": _ref("root"),
        "passes": _list(_ref("pass")),
        "leaves": _list(_ref("leaf")),
        "intermediates": _list(_ref("statement")),
        "legend": _list(_ref("alias")),
        "listing": _list(_ref("text")),
        "notes": _list(_ref("note")),
        "agrees": {"anyOf": [{"type": "boolean"}, {"type": "null"}]},
        "failures": _list(_ref("failure")),
    }
