/** Answers of doors, held to the OpenAPI document that the doors give of themselves. */
import { expect } from "vitest";
import type { JsonObject } from "../../src/commands/app.js";
import { PROBLEM_TYPE } from "../../src/doors/http/problem.js";
import { REASONS } from "../../src/doors/index.js";

/** A response of the document. */
export interface DocumentedResponse {
  readonly description: string;
  readonly headers?: JsonObject;
  readonly content?: Readonly<
    Record<
      string,
      {
        readonly schema: JsonObject;
        readonly examples?: Readonly<Record<string, { readonly value: JsonObject }>>;
      }
    >
  >;
}

/** An operation of the document. */
export interface Operation {
  readonly verb: string;
  readonly path: string;
  /** By their statuses; what is referred to stands here itself. */
  readonly responses: ReadonlyMap<number, DocumentedResponse>;
}

/** The operations of a document. */
export function operationsOf(document: JsonObject): Operation[] {
  const { paths, components } = document as unknown as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly responses: JsonObject }>>>>;
    readonly components: { readonly responses: Readonly<Record<string, DocumentedResponse>> };
  };
  return Object.entries(paths).flatMap(([path, verbs]) =>
    Object.entries(verbs).map(([verb, { responses }]) => ({
      verb: verb.toUpperCase(),
      path,
      responses: new Map(
        Object.entries(responses).map(([status, response]) => {
          const { $ref } = response as { readonly $ref?: string };
          if ($ref === undefined) return [Number(status), response as unknown as DocumentedResponse];
          const referred = components.responses[$ref.slice("#/components/responses/".length)];
          if (referred === undefined) throw new Error(`${path}: there is no ${$ref}`);
          return [Number(status), referred];
        }),
      ),
    })),
  );
}

/** The reasons that a response has examples of. */
export function reasonsOf(response: DocumentedResponse | undefined): string[] {
  return Object.keys(response?.content?.[PROBLEM_TYPE]?.examples ?? {});
}

const operations = new Map<string, readonly Operation[]>();

/** From now on answers of an origin are held to a document. */
export function document(origin: string, of: JsonObject): void {
  operations.set(origin, operationsOf(of));
}

/**
 * Holds an answer to the document of its origin, where that has one: the operation has the status, and a reason that is not
 * the application's stands there. Gives whether there was an operation to hold it to.
 */
export function holdToDocument(
  url: string,
  verb: string,
  { status, json }: { readonly status: number; readonly json: JsonObject },
): boolean {
  const { origin, pathname } = new URL(url);
  const found = operations.get(origin)?.find((at) => at.path === pathname && at.verb === verb.toUpperCase());
  if (found === undefined) return false;
  expect([found.path, [...found.responses.keys()]]).toEqual([found.path, expect.arrayContaining([status])]);
  const { reason } = json;
  if (status >= 400 && typeof reason === "string" && Object.hasOwn(REASONS, reason))
    expect([found.path, status, reasonsOf(found.responses.get(status))]).toEqual([
      found.path,
      status,
      expect.arrayContaining([reason]),
    ]);
  return true;
}
