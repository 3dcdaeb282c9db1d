"""An emitter in Python: reads a plan, answers one module of TypedDicts.

    mspkit generate --emitter 'cmd:python3 examples/emitters/python/typed_dicts.py' --only schema --out out

An open enum stays open (any str is one of its values); its known words are listed beside it. A closed enum is a
Literal. Required and optional members are told apart by two classes, as TypedDict had them before Python 3.11.
"""
import json
import keyword
import sys

SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}


def identifier(name: str) -> str:
    """A Python name: the plan's identifiers have no `$` in Python, and may be a keyword of this language only."""
    name = name.replace("$", "_")
    return name + "_" if keyword.iskeyword(name) else name


class Emitter:
    def __init__(self, plan: dict) -> None:
        self.plan = plan
        self.names = {name: identifier(chosen) for name, chosen in plan["names"].items()}

    def type_of(self, node: dict) -> str:
        """The annotation of a node; other definitions by their quoted name, so that their order does not matter."""
        if "ref" in node:
            return self.names[node["ref"]]
        if "const" in node:
            return f"Literal[{self.literal(node['const'])}]" if self.is_literal(node["const"]) else "Any"
        if "enum" in node:
            if node["enum"]["open"]:
                return "str"
            values = [value["value"] for value in node["enum"]["values"]]
            return f"Literal[{', '.join(map(self.literal, values))}]" if all(map(self.is_literal, values)) else "Any"
        if "union" in node:
            return f"Union[{', '.join(dict.fromkeys(self.type_of(arm) for arm in node['union']['arms']))}]"
        kinds = [self.typed(kind, node) for kind in node.get("types", [])]
        if not kinds:
            return "Any"
        return kinds[0] if len(kinds) == 1 else f"Union[{', '.join(dict.fromkeys(kinds))}]"

    def typed(self, kind: str, node: dict) -> str:
        if kind == "array":
            return f"List[{self.type_of(node['items'])}]" if "items" in node else "List[Any]"
        if kind == "object":
            if not node.get("members") and "additional" in node:
                return f"Dict[str, {self.type_of(node['additional'])}]"
            return "Dict[str, Any]"
        return SCALARS[kind]

    @staticmethod
    def is_literal(value: object) -> bool:
        return value is None or isinstance(value, (str, bool)) or (isinstance(value, int))

    @staticmethod
    def literal(value: object) -> str:
        return repr(value)

    def definition(self, name: str, node: dict) -> str:
        chosen = self.names[name]
        if node.get("types") == ["object"] and node.get("members") and "ref" not in node:
            return self.typed_dict(chosen, node)
        text = f"{chosen} = {self.quoted(self.type_of(node))}\n"
        if "enum" in node and node["enum"]["open"]:
            words = [value["value"] for value in node["enum"]["values"]]
            text += f"{chosen}_KNOWN = {tuple(words)!r}\n"
        return text

    @staticmethod
    def quoted(annotation: str) -> str:
        # An alias is evaluated at once, when what it names may stand further down.
        return annotation if annotation in ("str", "Any") or annotation.startswith("Literal[") else repr(annotation)

    def typed_dict(self, name: str, node: dict) -> str:
        def fields(required: bool) -> str:
            members = [member for member in node["members"] if member["required"] is required]
            return ", ".join(f"{member['name']!r}: {self.type_of(member['schema'])!r}" for member in members)

        # The functional form takes every name, `class` and `in` too.
        if not any(not member["required"] for member in node["members"]):
            return f"{name} = TypedDict({name!r}, {{{fields(True)}}})\n"
        base = f"_{name}Required"
        return (
            f"{base} = TypedDict({base!r}, {{{fields(True)}}})\n"
            f"class {name}({base}, total=False):\n"
            f"    __annotations__ = {{{fields(False)}}}\n"
        )

    def module(self) -> str:
        head = "".join(f"# {line}\n" for line in self.plan["header"])
        text = head + "from typing import Any, Dict, List, Literal, TypedDict, Union\n\n"
        for name, node in self.plan["model"]["definitions"].items():
            text += self.definition(name, node) + "\n"
        methods = {name: row["kind"] for name, row in self.plan["model"]["methods"].items()}
        return text + f"METHODS = {json.dumps(methods, indent=4)}\n"


if __name__ == "__main__":
    emitter = Emitter(json.load(sys.stdin))
    json.dump({"files": {"typed_dicts.py": emitter.module()}}, sys.stdout)
