/** What a case of a command is, and how sessions are brought to where commands are accepted. */
import type { Item } from "../../generated/msp/experimental/types.js";
import { mintCommandId } from "../../src/client/index.js";
import type { SessionRecord } from "../../src/host/session/records.js";
import type { CommandScene } from "./command-scene.js";

/** Params of a command without its id; the session's id is added where it is not there. */
export type CaseParams = Readonly<Record<string, unknown>>;

/** A payload that is not the first one of its id. */
export interface OtherPayload {
  readonly params: CaseParams;
  /** Where it differs first. */
  readonly pointer: string;
}

/** One way in which a command is accepted. */
export interface CommandCase {
  /** Which way, where the method has several. */
  readonly label?: string;
  /** Brings the session to where the command is accepted; its params. */
  arrange(scene: CommandScene): Promise<CaseParams>;
  /** Left out where a payload of the method has nothing that could differ. */
  readonly other?: (params: CaseParams) => OtherPayload;
  /** How many effects the log shows. One command adds one. */
  effects(records: readonly SessionRecord[], scene: CommandScene): number | Promise<number>;
  /** A durable rejection: params, and a change after which the command would be accepted, where there is one. */
  readonly rejection?: {
    readonly reason: string;
    arrange(scene: CommandScene): Promise<CaseParams>;
    change?(scene: CommandScene, params: CaseParams): Promise<unknown>;
  };
  /** What the next host answers a replay where this one was killed; `ack` where left out. */
  readonly afterKill?: "abandoned";
}

/** Input of one text. */
export const text = (value: string): CaseParams => ({ input: [{ type: "text", text: value }] });
/** Input of a turn that runs until it is stopped. */
export const HANG = text("/hang");

/** Counts the events of a method. */
export function events(
  method: string,
  fits: (params: { readonly item?: Partial<Item> }) => boolean = () => true,
): CommandCase["effects"] {
  return (records) =>
    records.filter(
      (record) => record.type === "event" && record.method === method && fits(record.params as never),
    ).length;
}

/** Counts the sessions of the store. */
export const sessions: CommandCase["effects"] = async (_, { store }) => (await store.list("sessions")).length;
/** The same params with a member instead. */
export const instead =
  (change: CaseParams, pointer: string): NonNullable<CommandCase["other"]> =>
  (params) => ({ params: { ...params, ...change }, pointer });

/** Nothing to arrange and nothing to say. */
export const nothing = async (): Promise<CaseParams> => ({});
/** Nothing to arrange. */
export const always =
  (params: CaseParams): CommandCase["arrange"] =>
  async () =>
    params;

/** A turn that runs until it is stopped; its id. */
export const hangs = (scene: CommandScene, turnId?: string) => scene.turn("/hang", turnId);

/** A turn that waits behind one that hangs. */
export async function waits(scene: CommandScene, turnId: string = mintCommandId()): Promise<string> {
  await hangs(scene);
  await scene.do("turn/start", { ...text("later"), commandId: turnId });
  return turnId;
}

/** A goal whose turn hangs. */
export const goal = (scene: CommandScene) => scene.do("goal/set", { objective: "/hang" });

/** A goal that is paused while its turn hangs. */
export async function pausedGoal(scene: CommandScene): Promise<void> {
  await goal(scene);
  await scene.do("goal/pause", {});
}

/** A turn that waits for an approval; how it is allowed. */
export async function approval(scene: CommandScene): Promise<CaseParams> {
  await scene.turn("/approve\n/hang");
  const { params } = await scene.client.until(({ method }) => method === "approval/requested");
  const approvalId = params["approvalId"];
  return { approvalId, choiceId: "allow", requirementId: { approvalId, sourceIndex: 0 } };
}

/** A turn that waits for an answer; to which question. */
export async function question(scene: CommandScene): Promise<CaseParams> {
  await scene.turn("/ask\n/hang");
  const { params } = await scene.client.until(({ method }) => method === "userInput/requested");
  return { userInputId: params["userInputId"] };
}

/** A turn with a tool call that goes on; which. */
export async function task(scene: CommandScene): Promise<string> {
  await scene.turn("/tool work 2000000000\n/hang");
  const { params } = await scene.client.until(
    ({ method, params }) =>
      method === "item/started" && (params["item"] as { kind: string }).kind === "toolCall",
  );
  return (params["item"] as { itemId: string }).itemId;
}

/** Answers to the question of the test agent. */
export const answers = (label: string) => ({ answers: [{ questionId: "choice", selectedLabel: label }] });
/** Rejected since there is no such task. */
export const unknownTask = { reason: "missing_run", arrange: always({ taskId: "nothing" }) };
/** Whether an event is about an item of a kind. */
export const isKind =
  (kind: string) =>
  ({ item }: { readonly item?: Partial<Item> }) =>
    item?.kind === kind;
/** Whether an event is about a tool call. */
export const isTool = isKind("toolCall");
/** Rejected as long as there is no goal. */
export const withoutGoal = {
  reason: "missing_goal",
  change: goal,
};

/** An id that is no turn's yet, and becomes one's by the change. */
export function turnToBe(member: string, begin: (scene: CommandScene, turnId: string) => Promise<unknown>) {
  return {
    arrange: async (): Promise<CaseParams> => ({ [member]: mintCommandId() }),
    change: (scene: CommandScene, params: CaseParams) => begin(scene, String(params[member])),
  };
}
