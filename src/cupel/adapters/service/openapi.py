"""The description of the service for programs: an OpenAPI document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cupel import __version__
from cupel.adapters.service.requests import FIELDS
from cupel.adapters.service.settings import LONGEST_TEXT, Settings

Schema = dict[str, Any]
TEXTS: Schema = {"type": "array", "items": {"type": "string"}, "minItems": 1}
NUMBERS: Schema = {"type": "array", "items": {"type": "number"}}
EXAMPLES = {
    "score": {
        "hypotheses": ["The cat sat on the mat.", "It rains."],
        "references": [["A cat sat on the mat."], ["It is raining.", "It rains."]],
    },
    "align": {
        "hypotheses": ["The cat sat on the mat."],
        "references": ["A cat sat on the mat."],
    },
    "prefer": {
        "first": ["The cat sat on the mat."],
        "second": ["Cat mat."],
        "references": ["A cat sat on the mat."],
    },
}


def document(metrics: Sequence[str], settings: Settings) -> dict[str, Any]:
    """The document of a service that offers these metrics."""
    fields = _fields(metrics)
    numbers_by_metric = {"type": "object", "additionalProperties": {"type": "number"}}
    words = {"type": "string"}
    answers: dict[str, Schema] = {
        "score": {
            "signatures": {"type": "object", "additionalProperties": words},
            "scores": numbers_by_metric,
            "segment_scores": {"type": "object", "additionalProperties": NUMBERS},
        },
        "align": {
            "metric": words,
            "signature": words,
            "segments": {"type": "array", "items": _alignment()},
        },
        "prefer": {"metric": words, "signature": words, "first_is_better": NUMBERS},
    }
    summaries = {
        "score": "Score translations: of all segments together, and of each one.",
        "align": "Show which words of a translation a metric matched with the reference.",
        "prefer": "Compare two translations of each segment directly.",
    }
    paths: Schema = {
        f"/{name}": {
            "post": {
                "summary": summary,
                "operationId": name,
                "requestBody": _body(name, fields, EXAMPLES[name]),
                "responses": _answers(answers[name], settings),
            }
        }
        for name, summary in summaries.items()
    }
    for path, summary in {
        "/health": "Whether the service works, which version it has and which metrics it offers.",
        "/metrics": "Counts and times in the text form of Prometheus.",
        "/openapi.json": "This document.",
    }.items():
        paths[path] = {"get": {"summary": summary, "responses": {"200": {"description": "Done."}}}}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Cupel",
            "version": __version__,
            "description": "Scores of machine translations, and which words they come from.",
        },
        "paths": paths,
    }


def _fields(metrics: Sequence[str]) -> dict[str, Schema]:
    name = {"type": "string", "enum": list(metrics)}
    reference = {"oneOf": [{"type": "string"}, TEXTS]}
    return {
        "hypotheses": {**TEXTS, "description": "The translations, one text per segment."},
        "first": {**TEXTS, "description": "The first translations, one text per segment."},
        "second": {**TEXTS, "description": "The second translations, one text per segment."},
        "references": {
            "type": "array",
            "items": reference,
            "description": "Per segment a text, or a list of texts; most metrics need them.",
        },
        "sources": {**TEXTS, "description": "The source texts, for metrics that read them."},
        "metrics": {
            "type": "array",
            "items": name,
            "description": "The metrics; all that the service offers, if not given.",
        },
        "metric": {**name, "description": "The metric; the first that can, if not given."},
    }


def _body(operation: str, fields: dict[str, Schema], example: object) -> Schema:
    names = FIELDS[operation]
    schema = {
        "type": "object",
        "properties": {name: fields[name] for name in names},
        "required": [name for name in names if name in ("hypotheses", "first", "second")],
        "additionalProperties": False,
    }
    return {"required": True, "content": _json(schema, example)}


def _alignment() -> Schema:
    places = {"type": "array", "items": {"type": "integer", "minimum": 1}}
    link = {
        "hypothesis_at": places,
        "reference_at": places,
        "kind": {"type": "string"},
        "weight": {"type": "number"},
        "chunk": {"type": ["integer", "null"]},
    }
    return {
        "type": "object",
        "properties": {
            "score": {"type": "number"},
            "details": {"type": "object", "additionalProperties": {"type": "number"}},
            "reference_number": {"type": "integer", "minimum": 1},
            "hypothesis": TEXTS,
            "reference": TEXTS,
            "links": {"type": "array", "items": {"type": "object", "properties": link}},
        },
    }


def _answers(properties: Schema, settings: Settings) -> Schema:
    result = {"type": "object", "properties": {"version": {"type": "string"}, **properties}}
    errors = {
        400: "The body is not JSON, or a field is missing, unknown or of the wrong shape.",
        408: f"The body did not arrive within {settings.timeout:g} seconds.",
        413: f"The body has more than {settings.max_body:,} bytes, or a text more than "
        f"{LONGEST_TEXT:,} characters.",
        415: "The content type is not application/json.",
        422: "The metric is not offered, or cannot score this.",
        429: f"{settings.max_queue} requests are inside already: try again in a moment.",
        500: "The request failed, or its worker process died twice.",
        503: "The service is stopping.",
        504: f"There was no answer within {settings.timeout:g} seconds.",
    }
    failure = {"type": "object", "properties": {"error": {"type": "string"}}}
    return {"200": {"description": "The result.", "content": _json(result)}} | {
        str(status): {"description": words, "content": _json(failure)}
        for status, words in errors.items()
    }


def _json(schema: Schema, example: object = None) -> Schema:
    entry = {"schema": schema} if example is None else {"schema": schema, "example": example}
    return {"application/json": entry}
