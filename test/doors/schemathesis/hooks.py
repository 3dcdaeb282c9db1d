"""What no schema can say of a command: its id is new, and stands in one place."""

import uuid

import schemathesis


def is_id(value: object) -> bool:
    return isinstance(value, str) and 1 <= len(value) <= 128


def with_identity(value: object) -> object:
    """A value in which every whole number is one that JSON carries: where ids are checked, others have no identity."""
    if isinstance(value, dict):
        return {name: with_identity(member) for name, member in value.items()}
    if isinstance(value, list):
        return [with_identity(item) for item in value]
    whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    return 0 if whole and abs(value) > 2**53 - 1 else value


def header_of(case: schemathesis.Case) -> str | None:
    names = [name for name in (case.headers or {}) if name.lower() == "idempotency-key"]
    return names[0] if names else None


@schemathesis.hook
def before_call(context: schemathesis.HookContext, case: schemathesis.Case, kwargs: dict) -> None:
    if case.method.upper() != "POST" or not isinstance(case.body, dict):
        return
    case.body = with_identity(case.body)
    name = header_of(case)
    given = case.body.get("commandId")
    if "commandId" in case.body and not is_id(given):
        # It is what shall be refused.
        if name is not None:
            del case.headers[name]
    elif "commandId" in case.body or name is None:
        if name is not None:
            del case.headers[name]
        case.body["commandId"] = str(uuid.uuid4())
    else:
        case.headers[name] = str(uuid.uuid4())
