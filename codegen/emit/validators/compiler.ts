/**
 * Compiles schema nodes to JavaScript.
 *
 * Each definition becomes one function `f(v, c, p, n)`: the value; the collector of violations, undefined when only
 * the verdict is asked for; the JSON Pointer of the value, built only when collecting; and, where a definition can
 * contain itself, how deep it is. It returns false as soon as the answer is no and nobody wants to hear more.
 *
 * So valid values pay for the checks alone, and a refused value is walked a second time for the reasons.
 */
import type { Json } from "../../bundle/json.js";
import type { JsonType } from "../../bundle/keywords.js";
import { type Category, categoriesOf, dispatchOf } from "../../model/dispatch.js";
import {
  type Definition,
  type EnumFacet,
  facetsOf,
  type Member,
  type Schema,
  type Union,
} from "../../model/protocol.js";
import { reachingCycles } from "../../model/recursion.js";
import { quote } from "../../plan/names.js";
import {
  access,
  at,
  constrains,
  HOLDS,
  isLimited,
  isScalar,
  literal,
  NEGATED,
  withoutUnion,
} from "./expressions.js";

/** Objects with more optional members than this loop over the members that are there instead of asking for each. */
const SWITCH_ABOVE = 12;

/** Closed enums with more values than this are looked up in a list. */
const INLINE_VALUES = 6;

/** How often definitions may nest in a value before it is refused; below what exhausts the stack. */
export const MAX_NESTING = 1_000;

/** A definition that contains itself counts as one more level for each so many variables, which its calls keep on the stack. */
const VARIABLES_PER_LEVEL = 32;

/** Compiles the definitions of one protocol; the text of their functions and of what these share. */
export class Compiler {
  readonly #definitions: ReadonlyMap<string, Definition>;
  readonly #functions = new Map<string, string>();
  readonly #deep: ReadonlySet<string>;
  readonly #constants = new Map<string, string>();
  readonly #extra: string[] = [];
  #temporaries = 0;
  #peak = 0;
  /** Whether the function being written has the parameter `n`. */
  #counting = false;

  constructor(definitions: ReadonlyMap<string, Definition>) {
    this.#definitions = definitions;
    this.#deep = reachingCycles(definitions);
    let i = 0;
    for (const name of definitions.keys()) this.#functions.set(name, `f${i++}`);
  }

  /** The function of a definition. */
  functionOf(definition: string): string {
    return this.#functions.get(definition)!;
  }

  /** A call of a definition's function that asks for the verdict alone. */
  verdict(definition: string, v: string): string {
    return `${this.functionOf(definition)}(${v}${this.#deep.has(definition) ? ',undefined,"",0' : ""})`;
  }

  /** All functions, and before them the constants that they use. */
  compile(): string {
    const bodies: string[] = [];
    for (const { name, schema } of this.#definitions.values()) {
      bodies.push(this.#function(this.functionOf(name), schema, this.#deep.has(name)));
    }
    const constants = [...this.#constants].map(([text, id]) => `const ${id}=${text};\n`);
    return [...constants, ...this.#extra, ...bodies].join("");
  }

  #function(id: string, schema: Schema, deep: boolean): string {
    const before = [this.#counting, this.#temporaries, this.#peak] as const;
    [this.#counting, this.#temporaries, this.#peak] = [deep, 0, 0];
    const body = this.#node(schema, "v", "p", undefined, true);
    const extra = Math.floor(this.#peak / VARIABLES_PER_LEVEL);
    [this.#counting, this.#temporaries, this.#peak] = before;
    const level = extra === 0 ? "n" : `(n+=${extra})`;
    const guard = deep ? `if(${level}>${MAX_NESTING})return!K(c,p,"depth",${MAX_NESTING});\n` : "";
    return `function ${id}(v,c,p${deep ? ",n" : ""}){\n${guard}${body}return!0}\n`;
  }

  #constant(text: string, prefix: string): string {
    let id = this.#constants.get(text);
    if (id === undefined) this.#constants.set(text, (id = `${prefix}${this.#constants.size}`));
    return id;
  }

  #temporary(): string {
    this.#peak = Math.max(this.#peak, this.#temporaries + 1);
    return `x${this.#temporaries++}`;
  }

  /** The word that declares a temporary. In a definition that contains itself, names are used again to save stack. */
  #declare(word: "const" | "let"): string {
    return this.#counting ? "var" : word;
  }

  /** Gives up the temporaries made since there were `mark` of them. */
  #release(mark: number): void {
    if (this.#counting) this.#temporaries = mark;
  }

  /**
   * The statements that check `v` at the pointer `p`.
   * @param known the category that `v` is known to have
   * @param top whether the statements are the body of a function, which may return early
   */
  #node(schema: Schema, v: string, p: string, known?: Category, top = false): string {
    let text = "";
    if (schema.ref !== undefined) text += this.#reference(schema.ref, v, p, known);
    if (schema.constant !== undefined)
      text += this.#fail(this.#differs(v, schema.constant.value), p, "const", literal(schema.constant.value));
    if (schema.enum?.open === true) return text + this.#typed(schema, ["string"], v, p, known, top);
    if (schema.enum !== undefined) text += this.#enum(schema.enum, v, p);
    if (schema.types === undefined || isLimited(schema)) return text + this.#facets(schema, v, p, known);
    return text + this.#typed(schema, schema.types, v, p, known, top);
  }

  /** The type test and what follows it where it holds. */
  #typed(
    schema: Schema,
    types: readonly JsonType[],
    v: string,
    p: string,
    known: Category | undefined,
    top: boolean,
  ): string {
    const bad = types.map((type) => (type === "integer" ? `!Number.isInteger(${v})` : NEGATED[type](v)));
    const only = types.length === 1 ? (types[0] === "integer" ? "number" : types[0]!) : undefined;
    const rest = this.#facets(schema, v, p, only ?? known);
    if (only !== undefined && only === known && types[0] !== "integer") return rest;
    const test = bad.length === 1 ? bad[0]! : bad.map((b) => (b.includes("||") ? `(${b})` : b)).join("&&");
    const what = quote(types.join(" or "));
    if (rest === "") return this.#fail(test, p, "type", what);
    if (top) return `if(${test})return!${this.#report(p, "type", what)};\n${rest}`;
    return `if(${test}){${this.#fail("", p, "type", what)}}else{\n${rest}}\n`;
  }

  #reference(name: string, v: string, p: string, known: Category | undefined): string {
    const target = this.#definitions.get(name)!.schema;
    if (isScalar(target)) return this.#node(target, v, p, known);
    const depth = this.#deep.has(name) ? (this.#counting ? ",n+1" : ",0") : "";
    const where = p === "p" ? "p" : `c&&${p}`;
    return `if(!${this.functionOf(name)}(${v},c,${where}${depth}))return!1;\n`;
  }

  #enum({ values }: EnumFacet, v: string, p: string): string {
    const list = values.map(({ value }) => value);
    const names = this.#constant(`[${list.map(literal).join(",")}]`, "e");
    const scalars = list.every((value) => typeof value !== "object" || value === null);
    if (scalars && list.length > INLINE_VALUES)
      return this.#fail(`!${names}.includes(${v})`, p, "enum", names);
    return this.#fail(list.map((value) => this.#differs(v, value)).join("&&"), p, "enum", names);
  }

  #differs(v: string, value: Json): string {
    return typeof value === "object" && value !== null
      ? `!Q(${v},${this.#constant(literal(value), "q")})`
      : `${v}!==${literal(value)}`;
  }

  /** The facets that speak of one category only, each behind the test for it unless it is known to hold. */
  #facets(schema: Schema, v: string, p: string, known: Category | undefined): string {
    const guarded = (category: Category, text: string): string => {
      if (text === "" || known === category) return text;
      if (known !== undefined || !categoriesOf(withoutUnion(schema), this.#definitions).has(category))
        return "";
      return `if(${HOLDS[category](v)}){\n${text}}\n`;
    };
    return (
      guarded("string", this.#stringFacets(schema, v, p)) +
      guarded("number", this.#numberFacets(schema, v, p)) +
      guarded("array", this.#arrayFacets(schema, v, p)) +
      guarded("object", this.#objectFacets(schema, v, p)) +
      (schema.union === undefined ? "" : this.#union(schema.union, v, p, known))
    );
  }

  #stringFacets({ minLength, maxLength, pattern }: Schema, v: string, p: string): string {
    let text = "";
    if (minLength !== undefined)
      text += this.#fail(`L(${v})<${minLength}`, p, "minLength", String(minLength));
    if (maxLength !== undefined)
      text += this.#fail(`L(${v})>${maxLength}`, p, "maxLength", String(maxLength));
    if (pattern !== undefined) {
      const regexp = this.#constant(`new RegExp(${quote(pattern)},"u")`, "r");
      text += this.#fail(`!${regexp}.test(${v})`, p, "pattern", quote(pattern));
    }
    return text;
  }

  #numberFacets({ minimum, maximum }: Schema, v: string, p: string): string {
    let text = "";
    if (minimum !== undefined) text += this.#fail(`${v}<${minimum}`, p, "minimum", String(minimum));
    if (maximum !== undefined) text += this.#fail(`${v}>${maximum}`, p, "maximum", String(maximum));
    return text;
  }

  #arrayFacets({ minItems, maxItems, items }: Schema, v: string, p: string): string {
    let text = "";
    if (minItems !== undefined)
      text += this.#fail(`${v}.length<${minItems}`, p, "minItems", String(minItems));
    if (maxItems !== undefined)
      text += this.#fail(`${v}.length>${maxItems}`, p, "maxItems", String(maxItems));
    if (items !== undefined) {
      const mark = this.#temporaries;
      const i = this.#temporary();
      const x = this.#temporary();
      const body = this.#node(items, x, `${p}+"/"+${i}`);
      if (body !== "")
        text += `for(${this.#declare("let")} ${i}=0;${i}<${v}.length;${i}++){${this.#declare("const")} ${x}=${v}[${i}];\n${body}}\n`;
      this.#release(mark);
    }
    return text;
  }

  #objectFacets({ members = [], additional, dependentRequired = [] }: Schema, v: string, p: string): string {
    let text = "";
    const optional: Member[] = [];
    for (const member of members) {
      if (member.required) text += this.#required(member, v, p);
      else if (constrains(member.schema)) optional.push(member);
    }
    if (additional !== undefined || optional.length > SWITCH_ABOVE) {
      text += this.#eachMember(members, optional, additional, v, p);
    } else {
      for (const { name, schema } of optional) {
        const mark = this.#temporaries;
        const x = this.#temporary();
        const body = this.#node(schema, x, at(p, name));
        const member = `${this.#declare("const")} ${x}=${access(v, name)};if(${x}!==undefined)`;
        this.#release(mark);
        text +=
          body.startsWith("if(") && body.endsWith("return!1;\n") && body.indexOf("\n") === body.length - 1
            ? `${member}${body}`
            : `${member}{\n${body}}\n`;
      }
    }
    for (const { name, needs } of dependentRequired) {
      for (const need of needs) {
        const test = `${access(v, name)}!==undefined&&${access(v, need)}===undefined`;
        text += this.#fail(test, p, "dependentRequired", `[${quote(name)},${quote(need)}]`);
      }
    }
    return text;
  }

  #required({ name, schema }: Member, v: string, p: string): string {
    const mark = this.#temporaries;
    const x = this.#temporary();
    const body = this.#node(schema, x, at(p, name));
    this.#release(mark);
    const missing = this.#report(p, "required", quote(name));
    if (body === "") return `if(${access(v, name)}===undefined&&${missing})return!1;\n`;
    return `${this.#declare("const")} ${x}=${access(v, name)};if(${x}===undefined){if(${missing})return!1}else{\n${body}}\n`;
  }

  /** Walks the members that are there: the way for objects of which most members are absent, and for maps. */
  #eachMember(
    all: readonly Member[],
    optional: readonly Member[],
    additional: Schema | undefined,
    v: string,
    p: string,
  ): string {
    const mark = this.#temporaries;
    const k = this.#temporary();
    const x = this.#temporary();
    let cases = "";
    for (const { name, schema } of optional)
      cases += `case ${quote(name)}:{${this.#node(schema, x, at(p, name))}break}\n`;
    const rest = additional === undefined ? "" : this.#node(additional, x, `${p}+"/"+T(${k})`);
    this.#release(mark);
    if (cases === "" && rest === "") return "";
    const declared = all.filter((member) => member.declared);
    if (rest !== "") {
      const others = declared
        .filter((member) => !optional.includes(member))
        .map(({ name }) => `case ${quote(name)}:`);
      cases +=
        declared.length === 0
          ? rest
          : `${others.length > 0 ? `${others.join("")}break;\n` : ""}default:{${rest}}\n`;
    }
    const body = declared.length === 0 ? cases : `switch(${k}){\n${cases}}`;
    const word = this.#declare("const");
    return `for(${word} ${k} in ${v}){${word} ${x}=${v}[${k}];if(${x}===undefined)continue;\n${body}}\n`;
  }

  #union(union: Union, v: string, p: string, known: Category | undefined): string {
    if (union.arms.length === 1) return this.#node(union.arms[0]!, v, p, known);
    const dispatch = dispatchOf(union, this.#definitions);
    if (!dispatch.ok) return this.#anyArm(union, v, p);
    const branches = dispatch.branches
      .filter(({ categories }) => known === undefined || (categories as readonly Category[]).includes(known))
      .map((branch): { readonly test: string; readonly text: string } => {
        const one = branch.categories.length === 1 ? branch.categories[0] : undefined;
        const test = branch.categories.map((category) => HOLDS[category](v)).join("||");
        let text = "";
        if (branch.kind === "arm") text = this.#node(union.arms[branch.arm]!, v, p, one);
        else if (branch.kind === "tag") text = this.#tagged(union, branch, v, p);
        else text = this.#values(union, branch.arms, v, p);
        return { test, text };
      });
    const types = dispatch.branches.flatMap(({ categories }) => categories).join(" or ");
    const otherwise = this.#fail("", p, "type", quote(types));
    if (known !== undefined)
      return branches.length === 0 ? otherwise : branches.map(({ text }) => text).join("");
    return `${branches.map(({ test, text }) => `if(${test}){\n${text}}`).join("else ")}else{${otherwise}}\n`;
  }

  #tagged(
    union: Union,
    branch: { tag: string; cases: readonly { value: string; arm: number }[]; otherwise: number | undefined },
    v: string,
    p: string,
  ): string {
    const tag = access(v, branch.tag);
    const byArm = new Map<number, string[]>();
    for (const { value, arm } of branch.cases) byArm.set(arm, [...(byArm.get(arm) ?? []), value]);
    let text = `switch(${tag}){\n`;
    for (const [arm, values] of byArm) {
      text += `${values.map((value) => `case ${quote(value)}:`).join("")}{\n${this.#node(union.arms[arm]!, v, p, "object")}break}\n`;
    }
    if (branch.otherwise !== undefined) {
      return `${text}default:{\n${this.#node(union.arms[branch.otherwise]!, v, p, "object")}}}\n`;
    }
    const names = this.#constant(`[${branch.cases.map(({ value }) => quote(value)).join(",")}]`, "e");
    const missing = this.#fail(`${tag}===undefined`, p, "required", quote(branch.tag)).trimEnd();
    const wrong = this.#fail(`${tag}!==undefined`, at(p, branch.tag), union.keyword, names).trimEnd();
    return `${text}default:${missing}${wrong}}\n`;
  }

  /** Scalars of one category: the arms list their values. An arm that says more than a list is asked. */
  #values(union: Union, arms: readonly number[], v: string, p: string): string {
    const lists = arms.map((arm) => this.#listed(union.arms[arm]!));
    const values = lists.flatMap((list) => list ?? []);
    if (lists.includes(undefined) || values.some((value) => typeof value === "object" && value !== null))
      return this.#anyArm({ ...union, arms: arms.map((arm) => union.arms[arm]!) }, v, p);
    const names = this.#constant(`[${values.map(literal).join(",")}]`, "e");
    return this.#fail(`!${names}.includes(${v})`, p, union.keyword, names);
  }

  /** The values that a node accepts, where a list is all that it says. */
  #listed(schema: Schema): readonly Json[] | undefined {
    const { ref, constant, enum: listed, types } = schema;
    if (facetsOf(schema).length > (types === undefined ? 1 : 2)) return undefined;
    if (ref !== undefined)
      return types === undefined ? this.#listed(this.#definitions.get(ref)!.schema) : undefined;
    if (types !== undefined && !isLimited(schema)) return undefined;
    return constant !== undefined ? [constant.value] : listed?.values.map(({ value }) => value);
  }

  /** A union whose arms overlap: each arm is asked. Bundles get here only with that finding excused. */
  #anyArm(union: Union, v: string, p: string): string {
    const depth = this.#counting ? ",n+1" : "";
    const calls = union.arms.map((arm) => {
      const id = `u${this.#extra.length}`;
      this.#extra.push("");
      const index = this.#extra.length - 1;
      this.#extra[index] = this.#function(id, arm, this.#counting);
      return `${id}(${v},undefined,""${depth})`;
    });
    const test =
      union.keyword === "anyOf" || union.open ? `!(${calls.join("||")})` : `${calls.join("+")}!==1`;
    return this.#fail(test, p, union.keyword, "null");
  }

  #report(p: string, keyword: string, argument: string): string {
    return `K(c,${p},"${keyword}",${argument})`;
  }

  /** Refuses where the test holds; always, for an empty test. */
  #fail(test: string, p: string, keyword: string, argument: string): string {
    const report = this.#report(p, keyword, argument);
    if (test === "") return `if(${report})return!1;\n`;
    return `if(${test.includes("||") ? `(${test})` : test}&&${report})return!1;\n`;
  }
}
