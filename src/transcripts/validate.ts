/**
 * Checks transcripts against a bundle: every frame's envelope, direction and content, and what frames owe to the
 * ones before them. Messages that the bundle lacks are checked by their envelope alone, and counted.
 */
import { parseFrame } from "../wire/parse.js";
import { type Bundle, loadBundle, type Validate } from "./bundle.js";
import { type Frame, isObject } from "./differences.js";
import { Ordering } from "./ordering.js";
import { type Place, type TranscriptFinding, type TranscriptRuleId, transcriptFinding } from "./rules.js";
import type { Side, Transcript, TranscriptLine } from "./transcript.js";
import { walk } from "./unknown-words.js";

/** What a check found, and how much it looked at. */
export interface Validation {
  readonly transcripts: number;
  readonly frames: number;
  /** The frames of which only the envelope was checked, since the bundle lacks their method. */
  readonly unknownMethods: readonly (Place & { readonly method: string })[];
  /** In the order of the transcripts and lines. */
  readonly findings: readonly TranscriptFinding[];
}

/** Checks transcripts against a bundle; without one, against the whole surface of MSP. */
export async function validateTranscripts(
  transcripts: readonly Transcript[],
  bundle?: Bundle,
): Promise<Validation> {
  const used = bundle ?? (await loadBundle());
  const checks = transcripts.map((transcript) => new TranscriptCheck(transcript, used).run());
  return {
    transcripts: transcripts.length,
    frames: transcripts.reduce((sum, { lines }) => sum + lines.length, 0),
    unknownMethods: checks.flatMap(({ unknownMethods }) => unknownMethods),
    findings: checks.flatMap(({ findings }) => findings),
  };
}

type Form = "request" | "notification";

class TranscriptCheck {
  readonly #transcript: Transcript;
  readonly #bundle: Bundle;
  readonly #roles: ReadonlyMap<string, string>;
  readonly #ordering: Ordering;
  readonly #findings: TranscriptFinding[] = [];
  readonly #unknownMethods: (Place & { method: string })[] = [];

  constructor(transcript: Transcript, bundle: Bundle) {
    this.#transcript = transcript;
    this.#bundle = bundle;
    this.#roles = new Map(
      Object.entries(bundle.model.definitions).flatMap(([name, { role }]) =>
        role === undefined ? [] : [[role, name] as const],
      ),
    );
    this.#ordering = new Ordering((reason) => Object.hasOwn(bundle.tables.rejections, reason));
  }

  run(): Pick<Validation, "unknownMethods" | "findings"> {
    for (const line of this.#transcript.lines) this.#line(line);
    this.#ordering.end();
    const findings = [...this.#findings, ...this.#ordering.findings].sort((a, b) => a.line - b.line);
    return { findings, unknownMethods: this.#unknownMethods };
  }

  #line(line: TranscriptLine): void {
    const place = { transcript: this.#transcript.scenario, line: line.line };
    const { dir, raw, base64 } = line;
    if (base64 !== undefined) {
      this.#find("frame-not-text", place, "");
      return;
    }
    const text = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
    if (text !== raw && dir === "server") this.#find("carriage-return", place, "");
    const bytes = Buffer.byteLength(text);
    const limit = this.#transcript.manifest.serverConfig.frameLimitBytes;
    if (bytes > limit) this.#find("frame-too-long", place, "", { bytes, limit });
    const parsed = parseFrame(text);
    if ("fault" in parsed || !isObject(parsed.value)) {
      const problem = "fault" in parsed ? FAULTS[parsed.fault] : "is not an object";
      this.#find("frame-not-object", place, "", { problem });
      return;
    }
    this.#frame(dir, parsed.value, place);
  }

  #frame(dir: Side, frame: Frame, place: Place): void {
    if (Object.hasOwn(frame, "method")) {
      const form = Object.hasOwn(frame, "id") ? "request" : "notification";
      const holds = this.#role(form, frame, place);
      // A frame that is wrong in itself still counts for the ones that follow it.
      if (typeof frame["method"] !== "string") return;
      this.#ordering.message(dir, frame, place);
      if (holds) this.#message(dir, form, frame, place);
      return;
    }
    const role = Object.hasOwn(frame, "error") ? "errorResponse" : "successResponse";
    const holds = this.#role(role, frame, place);
    const request = this.#ordering.answer(dir, frame, place);
    if (!holds) return;
    if (role === "errorResponse") this.#error(frame, place);
    else if (request !== undefined) this.#result(dir, request.method, frame, place);
  }

  /** Checks the envelope; whether it holds. */
  #role(role: string, frame: Frame, place: Place): boolean {
    const definition = this.#roles.get(role) ?? "";
    const both = Object.hasOwn(frame, "result") && Object.hasOwn(frame, "error");
    if (both)
      this.#find("bad-envelope", place, "", { problem: "has both a result and an error", keyword: "not" });
    const before = this.#findings.length;
    this.#part("bad-envelope", this.#bundle.validators.definitions[definition], frame, "", place, {});
    return !both && this.#findings.length === before;
  }

  #message(dir: Side, form: Form, frame: Frame, place: Place): void {
    const { model, validators } = this.#bundle;
    const method = frame["method"] as string;
    const calls = dir === "client" ? validators.methods : validators.requests;
    const rows = dir === "client" ? model.methods : model.requests;
    const direction = dir === "client" ? "client-to-host" : "host-to-client";
    const params = frame["params"];
    if (form === "request" && Object.hasOwn(calls, method)) {
      this.#params(method, calls[method]?.params, rows[method]?.params, params, "/params", place);
    } else if (form === "notification" && notification(model, method)?.direction === direction) {
      const definition = notification(model, method)?.params;
      this.#params(method, validators.notifications[method], definition, params, "/params", place);
    } else if (
      [model.methods, model.requests, model.notifications].some((all) => Object.hasOwn(all, method))
    ) {
      const side = dir === "client" ? "client" : "host";
      this.#find("wrong-message", place, "/method", { method, form, side });
    } else this.#unknownMethods.push({ ...place, method });
  }

  #params(
    method: string,
    validate: Validate | undefined,
    definition: string | undefined,
    value: unknown,
    at: string,
    place: Place,
  ): void {
    if (validate === undefined) {
      // A method without params takes none; an empty object says as much.
      if (value !== undefined && !(isObject(value) && Object.keys(value).length === 0))
        this.#find("bad-params", place, at, { method, problem: "must be absent", keyword: "not" });
      return;
    }
    this.#part("bad-params", validate, value, at, place, { method });
    if (definition !== undefined) this.#words(value, definition, at, place);
  }

  #result(dir: Side, method: string, frame: Frame, place: Place): void {
    const { model, validators } = this.#bundle;
    const calls = dir === "server" ? validators.methods : validators.requests;
    const rows = dir === "server" ? model.methods : model.requests;
    if (!Object.hasOwn(calls, method)) {
      this.#unknownMethods.push({ ...place, method });
      return;
    }
    this.#part("bad-result", calls[method]?.result, frame["result"], "/result", place, { method });
    const definition = rows[method]?.result;
    if (definition !== undefined) this.#words(frame["result"], definition, "/result", place);
  }

  #error(frame: Frame, place: Place): void {
    const { errors } = this.#bundle.model;
    const { code, data } = frame["error"] as { readonly code: number; readonly data?: Frame };
    this.#words(frame, this.#roles.get("errorResponse") ?? "", "", place);
    if (data === undefined) return;
    const kind = String(data["kind"]);
    const rows = Object.entries(errors).filter(
      ([own, { overrideKinds }]) => own === kind || overrideKinds.includes(kind),
    );
    if (rows.length > 0 && !rows.some(([, row]) => row.code === code)) {
      const expected = rows.map(([, row]) => row.code).join(" or ");
      this.#find("error-code", place, "/error/code", { kind, expected, code });
    }
  }

  #words(value: unknown, definition: string, at: string, place: Place): void {
    const { words, carried } = walk(value, definition, this.#bundle.model);
    for (const { def, value: word, instanceLocation } of words)
      this.#find("unknown-word", place, at + instanceLocation, { def, value: word });
    const { model, validators } = this.#bundle;
    for (const { method, params, instanceLocation } of carried) {
      const inner = at + instanceLocation;
      const row = notification(model, method);
      if (row === undefined) this.#unknownMethods.push({ ...place, method });
      else this.#params(method, validators.notifications[method], row.params, params, inner, place);
    }
  }

  #part(
    rule: TranscriptRuleId,
    validate: Validate | undefined,
    value: unknown,
    at: string,
    place: Place,
    params: Readonly<Record<string, string>>,
  ): void {
    for (const { instanceLocation, keyword, message } of validate?.(value, { all: true }) ?? [])
      this.#find(rule, place, at + instanceLocation, { ...params, problem: message, keyword });
  }

  #find(
    rule: TranscriptRuleId,
    place: Place,
    instanceLocation: string,
    params: Readonly<Record<string, string | number>> = {},
  ): void {
    this.#findings.push(transcriptFinding(rule, place, instanceLocation, params));
  }
}

const FAULTS = { notJson: "is not JSON", tooDeep: "nests too deep" } as const;

function notification({ notifications }: Bundle["model"], method: string) {
  return Object.hasOwn(notifications, method) ? notifications[method] : undefined;
}
