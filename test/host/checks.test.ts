/** What the words of the protocol ask of params beyond their schema: each rule, where it is told, and what it lets pass. */
import { describe, expect, it } from "vitest";
import { invalidParams, missingOf, refusalOf } from "../../src/host/checks.js";

const SESSION = "01a19b7c-a6bc-7000-8000-ff6f00000002";
const text = { type: "text", text: "Prune" };
const image = { type: "image", mediaType: "image/png", base64Data: "AAAA" };
const skill = { type: "skill", selector: "graft" };
const video = { type: "video", uploadId: "u" };

type Params = Readonly<Record<string, unknown>>;

/** Where params are refused, and by which rule; undefined where they are not. */
function refused(method: string, params: Params): readonly [string, string] | undefined {
  const error = refusalOf(method, params);
  if (error === undefined) return undefined;
  const { details } = error.data as unknown as {
    details: { violations: { instanceLocation: string; keyword: string; message: string }[] };
  };
  expect(error.kind).toBe("invalidParams");
  expect(details.violations).toHaveLength(1);
  const [{ instanceLocation, keyword, message }] = details.violations as [(typeof details.violations)[0]];
  // People are told the place and the rule in one sentence.
  expect(message).toMatch(/^must /);
  expect(error.message).toBe(`${instanceLocation} ${message}`);
  return [instanceLocation, keyword];
}

it("a refusal says of the params as a whole that they are meant", () => {
  expect(invalidParams("", "not", "must fit").message).toBe("the params must fit");
});

describe("ids", () => {
  it.each(["sessionId", "turnId", "expectedTurnId"])(
    "that name a session or a turn are UUIDs, of whatever command: %s",
    (name) => {
      for (const odd of ["", "nothing", `${SESSION} `, SESSION.slice(1), 7, null])
        expect(refused("session/compact", { [name]: odd })).toEqual([`/${name}`, "format"]);
      expect(refused("session/compact", { [name]: SESSION })).toBeUndefined();
      expect(refused("session/compact", { [name]: SESSION.toUpperCase() })).toBeUndefined();
      expect(refused("session/compact", { [name]: undefined })).toBeUndefined();
    },
  );

  it("of other names are anything", () => {
    expect(refused("session/compact", { uploadId: "nothing", approvalId: "x" })).toBeUndefined();
  });
});

describe("a turn that starts", () => {
  it.each<[string, Params, readonly [string, string] | undefined]>([
    ["a text", { input: [text] }, undefined],
    ["nothing", { input: [] }, ["/input", "minItems"]],
    ["a command of the shell alone", { input: [], userShell: { commandText: "ls" } }, undefined],
    ["such a command and an image", { input: [image], userShell: { commandText: "ls" } }, undefined],
    ["such a command and a text", { input: [text], userShell: {} }, ["/userShell", "not"]],
    [
      "such a command and a text that comes later",
      { input: [image, text], userShell: {} },
      ["/userShell", "not"],
    ],
    ["such a command and a skill", { input: [skill], userShell: {} }, ["/userShell", "not"]],
    ["folders", { input: [text], workspaceRoots: ["/a"] }, undefined],
    ["folders, where it waits", { input: [text], workspaceRoots: ["/a"], ifBusy: "queue" }, undefined],
    ["no folder", { input: [text], workspaceRoots: [] }, ["/workspaceRoots", "minItems"]],
    [
      "folders, where it steers",
      { input: [text], workspaceRoots: ["/a"], ifBusy: "steer" },
      ["/workspaceRoots", "not"],
    ],
    ["no folders, where it steers", { input: [text], ifBusy: "steer" }, undefined],
    ["a skill", { input: [skill] }, undefined],
    ["a skill and an image", { input: [image, skill] }, undefined],
    ["two skills", { input: [image, skill, skill] }, ["/input/1", "maxContains"]],
  ])("with %s", (_, params, found) => {
    expect(refused("turn/start", params)).toEqual(found);
  });
});

describe("a message into a running turn", () => {
  it.each<[string, readonly object[], readonly [string, string] | undefined]>([
    ["a text", [text], undefined],
    ["nothing", [], ["/input", "minItems"]],
    ["an image and a video", [image, video], undefined],
    ["a skill", [image, skill], ["/input/1", "not"]],
  ])("with %s", (_, input, found) => {
    expect(refused("turn/steer", { input })).toEqual(found);
  });
});

describe.each(["turn/start", "turn/steer"])("the parts of an input of %s", (method) => {
  it.each<[string, object, readonly [string, string]]>([
    ["a text without one", { type: "text" }, ["/input/1/text", "required"]],
    ["an image without a media type", { ...image, mediaType: undefined }, ["/input/1/mediaType", "required"]],
    ["an image without bytes", { ...image, base64Data: undefined }, ["/input/1/base64Data", "required"]],
    ["a video without an upload", { type: "video" }, ["/input/1/uploadId", "required"]],
  ])("are whole: %s", (_, part, found) => {
    expect(refused(method, { input: [image, part] })).toEqual(found);
  });

  it("may be an empty text", () => {
    expect(refused(method, { input: [{ type: "text", text: "" }] })).toBeUndefined();
  });

  it.each(["AAAA", "AA==", "AAA=", "+/9z", "AAAAaz0=", "AAAAAAAAAAAAZZ=="])(
    "have bytes in base64: %s",
    (base64Data) => {
      expect(refused(method, { input: [{ ...image, base64Data }] })).toBeUndefined();
    },
  );

  it.each([
    "",
    "A",
    "AA",
    "AAA",
    "A===",
    "AA=A",
    "====",
    "AA==AAAA",
    "AAA=AA==",
    "-_AA",
    "AA A",
    "AAAA\n",
    "(AAAA",
    "AAAA)",
    "?AA=",
    "AA?A",
    "??==",
    "AAAAA",
  ])("have no other bytes: %j", (base64Data) => {
    expect(refused(method, { input: [{ ...image, base64Data }] })).toEqual([
      "/input/0/base64Data",
      "contentEncoding",
    ]);
  });
});

describe("a skill in an input", () => {
  it("needs a selector", () => {
    expect(refused("turn/start", { input: [{ type: "skill" }] })).toEqual(["/input/0/selector", "required"]);
  });

  it("stands beside no text and no video, on whichever side", () => {
    expect(refused("turn/start", { input: [text, skill] })).toEqual(["/input/0", "not"]);
    expect(refused("turn/start", { input: [skill, text] })).toEqual(["/input/1", "not"]);
    expect(refused("turn/start", { input: [video, skill] })).toEqual(["/input/0", "not"]);
    expect(refused("turn/start", { input: [skill, video] })).toEqual(["/input/1", "not"]);
    expect(refused("turn/start", { input: [text, video] })).toBeUndefined();
  });
});

describe("a session that starts", () => {
  it.each<[string, Params, readonly [string, string] | undefined]>([
    ["nothing", {}, undefined],
    ["a folder", { workspaceRoot: "/a" }, undefined],
    ["folders", { workspaceRoots: ["/a", "/b"] }, undefined],
    [
      "both, of which the first is the folder",
      { workspaceRoot: "/a", workspaceRoots: ["/a", "/b"] },
      undefined,
    ],
    [
      "both, of which another is the folder",
      { workspaceRoot: "/b", workspaceRoots: ["/a", "/b"] },
      ["/workspaceRoots/0", "const"],
    ],
    ["no folders", { workspaceRoots: [] }, ["/workspaceRoots", "minItems"]],
    ["no folders beside one", { workspaceRoot: "/a", workspaceRoots: [] }, ["/workspaceRoots", "minItems"]],
  ])("with %s", (_, params, found) => {
    expect(refused("session/start", params)).toEqual(found);
  });
});

describe("a name of a session", () => {
  it("is not empty, and may have white space around it", () => {
    for (const name of ["", " ", "\t\n"])
      expect(refused("session/rename", { name })).toEqual(["/name", "minLength"]);
    expect(refused("session/rename", { name: " Orchard " })).toBeUndefined();
  });
});

it("each command is held to its own rules alone", () => {
  const params = { input: [], workspaceRoots: [], name: "" };
  expect(refused("session/compact", params)).toBeUndefined();
  expect(refused("turn/steer", { ...params, input: [text] })).toBeUndefined();
  expect(refused("session/rename", { ...params, name: "a" })).toBeUndefined();
});

describe("what a turn refers to and nobody has", () => {
  it("is a skill or an upload, the first of them", () => {
    const one = missingOf({ input: [image, skill, video] }, SESSION);
    expect(one).toMatchObject({ kind: "skillNotFound", data: { sessionId: SESSION, selector: "graft" } });
    const other = missingOf({ input: [text, video] }, SESSION);
    expect(other).toMatchObject({ kind: "uploadNotFound", data: { sessionId: SESSION, uploadId: "u" } });
  });

  it("is nothing where a turn has texts and images, or no input", () => {
    expect(missingOf({ input: [text, image] }, SESSION)).toBeUndefined();
    expect(missingOf({}, SESSION)).toBeUndefined();
  });
});
