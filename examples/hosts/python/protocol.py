"""The protocol as data (protocol.json is generated from the schema), and what it takes to hold messages to it."""
import hashlib
import json
import os
import re
import time

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "protocol.json"), encoding="utf-8") as _file:
    PROTOCOL = json.load(_file)
METHODS = PROTOCOL["methods"]
MAX_FRAME_BYTES = 10_485_760


class MspError(Exception):
    """An error that a request is answered with. `of`: the kind whose code it has, where that is another."""

    def __init__(self, kind, message=None, of=None, **data):
        super().__init__(message or kind)
        self.body = {
            "code": PROTOCOL["errors"][of or kind],
            "message": message or kind,
            "data": {"kind": kind, "retryable": False, **data},
        }


def rejected(method, command_id, reason):
    """The error of a command that was rejected for good."""
    return MspError(
        "commandRejected", f"{method} command {command_id} rejected: {reason}", commandId=command_id, reason=reason
    )


def mint_id():
    """A new id of the host's own: a UUID of version 7."""
    value = (int(time.time() * 1000) << 80) | int.from_bytes(os.urandom(10), "big")
    value = value & ~(0xF << 76) & ~(0x3 << 62) | (0x7 << 76) | (0x2 << 62)
    text = f"{value:032x}"
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))


def record(kind, **members):
    """Something that happened to a session. Which members it has depends on its kind."""
    return {"type": kind, **members}


UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
COMMAND_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", re.IGNORECASE)


def read_frame(line):
    """The value of a line. Raises ValueError where it is no JSON."""

    def refuse(word):
        raise ValueError(f"{word} is no JSON")

    try:
        return json.loads(line.decode("utf-8"), parse_constant=refuse)
    except RecursionError:
        raise ValueError("nested too deep") from None


# --- params: what the schema says, and what the protocol says in words


def check(schema, value, at=""):
    """Why a value does not fit a schema; None where it does."""
    if "$ref" in schema:
        return check(PROTOCOL["definitions"][schema["$ref"]], value, at)
    if "anyOf" in schema:
        found = [check(arm, value, at) for arm in schema["anyOf"]]
        return None if None in found else found[0]
    if not any(_is(kind, value) for kind in schema["type"]):
        return f"{at or 'params'} must be {' or '.join(schema['type'])}"
    if "const" in schema and value != schema["const"] or "enum" in schema and value not in schema["enum"]:
        return f"{at} must be one of its words"
    if isinstance(value, str) and "pattern" in schema and not re.search(schema["pattern"], value):
        return f"{at} must match {schema['pattern']}"
    if isinstance(value, (int, float)) and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        return f"{at} is out of bounds"
    if isinstance(value, list) and "items" in schema:
        return next(filter(None, (check(schema["items"], item, f"{at}/{i}") for i, item in enumerate(value))), None)
    if isinstance(value, dict):
        return _check_members(schema, value, at)
    return None


def _check_members(schema, value, at):
    properties = schema.get("properties", {})
    for name in schema.get("required", []):
        if name not in value:
            return f"{at}/{name} must be there"
    for name, others in schema.get("dependentRequired", {}).items():
        if name in value and any(other not in value for other in others):
            return f"{at}/{name} must not be there alone"
    for name, member in value.items():
        inner = properties.get(name, schema.get("additionalProperties"))
        found = inner and check(inner, member, f"{at}/{name}")
        if found:
            return found
    return None


def _is(kind, value):
    if kind == "integer":
        return isinstance(value, int) and not isinstance(value, bool) or isinstance(value, float) and value.is_integer()
    if kind == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if kind == "null":
        return value is None
    return isinstance(value, {"object": dict, "array": list, "string": str, "boolean": bool}[kind])


def check_params(method, params):
    """Refuses the params of a method, in the protocol's order: gates, capabilities, schema, rules in words."""
    row = METHODS[method]
    gates = [gate for gate in row.get("gates", []) if _has(params, gate["path"])]
    for gate in gates:
        if "descriptor" in gate:
            raise MspError("experimentalRequired", of="invalidParams", descriptor=gate["descriptor"])
    for gate in gates:
        raise MspError("capabilityRequired", capability=gate["capability"])
    found = check({"$ref": row["params"]}, params)
    if not found and row.get("strict"):
        known = PROTOCOL["definitions"][row["params"]]["properties"]
        found = next((f"/{name} is not known" for name in params if name not in known), None)
    found = found or _check_words(method, params)
    if found:
        raise MspError("invalidParams", found)


def _has(params, path):
    for name in path.split("/")[1:]:
        if not isinstance(params, dict) or name not in params:
            return False
        params = params[name]
    return True


def _check_words(method, params):
    """What the protocol says of params in words only."""
    if "commandId" in params and not COMMAND_ID.fullmatch(params["commandId"]):
        return "/commandId must be a UUID of version 7"
    for name in ("sessionId", "turnId", "expectedTurnId"):
        if name in params and not UUID.fullmatch(params[name]):
            return f"/{name} must be a UUID"
    if "input" in params:
        if not params["input"]:
            return "/input must not be empty"
        kinds = [part["type"] for part in params["input"]]
        if "skill" in kinds and (
            method != "turn/start" or kinds.count("skill") > 1 or set(kinds) - {"skill", "image"}
        ):
            return "/input must not have the skill there"
        for i, part in enumerate(params["input"]):
            needed = {"text": ["text"], "image": ["mediaType", "base64Data"], "skill": ["selector"]}
            for name in needed.get(part["type"], ["uploadId"]):
                if name not in part:
                    return f"/input/{i}/{name} must be there"
            if part["type"] == "image" and not BASE64.fullmatch(part["base64Data"]):
                return f"/input/{i}/base64Data must be base64, and not empty"
    if params.get("workspaceRoots") == []:
        return "/workspaceRoots must not be empty"
    if method == "turn/start" and "workspaceRoots" in params and params.get("ifBusy") == "steer":
        return "/workspaceRoots must not be there when the turn steers"
    for name in ("objective", "name"):
        if name in params and not trim(params[name]):
            return f"/{name} must not be empty"
    return None


BASE64 = re.compile(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)")
WHITE_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"


def trim(text):
    """A text without Unicode's white space at its ends. (str.strip takes U+001C to U+001F too.)"""
    return text.strip(WHITE_SPACE)


# --- the payload of a command, by which a repeated one is known

DEFAULTS = {
    "turn/start": {"ifBusy": "queue"},
    "turn/interrupt": {"retract": False},
    "session/resume": {"excludeItems": False},
}


def payload_of(method, params):
    """What counts of a command's params: known members, trimmed, without what stands for absence."""
    payload = _known({"$ref": METHODS[method]["params"]}, params, "")
    del payload["commandId"]
    if method != "session/start":
        del payload["sessionId"]
    for name, value in DEFAULTS.get(method, {}).items():
        if payload.get(name) == value:
            del payload[name]
    if "objective" in payload:
        payload["objective"] = trim(payload["objective"])
    return payload


def _known(schema, value, name):
    if "$ref" in schema:
        return _known(PROTOCOL["definitions"][schema["$ref"]], value, name)
    if "anyOf" in schema:
        return _known(next(arm for arm in schema["anyOf"] if check(arm, value) is None), value, name)
    if isinstance(value, dict):
        properties, other = schema.get("properties"), schema.get("additionalProperties")
        if properties is None and other is None:
            return value
        return {
            key: _known(member, value[key], key)
            for key, member in ({key: other for key in value} if properties is None else properties).items()
            # Null was allowed by the schema: it stands for absence.
            if key in value and (value[key] is not None or properties is None)
        }
    if isinstance(value, list):
        return [_known(schema["items"], item, name) for item in value] if "items" in schema else value
    if isinstance(value, float) or isinstance(value, int) and not isinstance(value, bool):
        if value != value or abs(value) > 2**53 - 1:
            raise MspError("invalidParams", f"{name} is no number that every peer can tell from others")
        return int(value) if value == int(value) else value
    if isinstance(value, str):
        if any("\ud800" <= char <= "\udfff" for char in value):
            raise MspError("invalidParams", f"{name} has half of a surrogate pair")
        return value.lower() if name.endswith("Id") and UUID.fullmatch(value) else value
    return value


def signature(method, payload):
    """One short text for a payload: two commands under one id are the same exactly where it is."""
    return hashlib.sha256(json.dumps([method, payload], sort_keys=True).encode()).hexdigest()
