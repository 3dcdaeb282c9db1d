// Approvals: one stage and two, allowed and refused.
import { Approval, ONCE_OR_ABORT, WRITE_CHOICES } from "./asks.mjs";
import { WORKSPACE } from "./session.mjs";
import { open } from "./turns.mjs";

/** The scenarios by name. */
export const approvals = {
  "approval-round-trip": (rec) => {
    const session = open(rec);
    const turn = session.run("Note the new grafts in the log.");
    rec.shows("A turn runs.");
    const path = `${WORKSPACE}/grafts.md`;
    const approval = new Approval(turn, {
      tool: "write_file",
      args: { path: "grafts.md", text: "3 x Discovery" },
      subject: {
        kind: "fileAccess",
        toolName: "write_file",
        path,
        access: "write",
        workspaceRoot: WORKSPACE,
      },
      choices: WRITE_CHOICES(path),
    });
    approval.tell();
    approval.ask();
    rec.shows(
      "The tool call is opened first. The approval is then told as an event and asked as a request with the very same members, cursor included; the request has an id of the host's own counting.",
    );
    approval.receipt();
    rec.shows(
      "The answer to the request is a receipt: it says that the request is shown, and decides nothing.",
    );
    approval.decide("allow_session");
    rec.shows("The decision is a command; the ack tells that it settles the whole approval.");
    approval.resolve();
    approval.item.finish("completed", { visibleOutput: "1 line added\n", truncated: false });
    rec.shows("The verdict names the command that gave it and what it amends; then the call itself ends.");
    turn.message("Noted: three Discovery on M26.");
    turn.completed();
    rec.shows("The turn goes on.");
  },

  "approval-deny": (rec) => {
    const session = open(rec);
    const turn = session.run("Clear the old rows.");
    const command = "uproot --rows 1-4";
    const approval = new Approval(turn, {
      tool: "shell",
      args: { command },
      subject: { kind: "shell", toolName: "shell", command },
      choices: ONCE_OR_ABORT,
    });
    approval.tell();
    approval.ask();
    approval.receipt();
    rec.shows("A call waits for its approval.");
    const feedback = "Row 4 still bears, leave it.";
    approval.decide("abort", { feedback });
    rec.shows("The choice that refuses takes a word about why; others would be refused with one.");
    approval.resolve();
    approval.item.finish("rejected", { failureReason: feedback });
    rec.shows("The verdict denies; the call ends as rejected and has not run.");
    turn.message("Understood: rows 1 to 3 only. Shall I mark them first?");
    turn.completed();
    rec.shows("The turn is not over for that: the agent has seen the refusal and goes on.");
  },

  "approval-two-stages": (rec) => {
    const session = open(rec);
    const turn = session.run("Fetch the map and open it.");
    const command = "fetch map.svg && view map.svg";
    const argvs = [
      ["fetch", "map.svg"],
      ["view", "map.svg"],
    ];
    let approvalId;
    const stages = (resolved) =>
      argvs.map((argv, sourceIndex) => ({
        argv,
        argvComplete: true,
        position: sourceIndex + 1,
        totalStages: argvs.length,
        requirementId: { approvalId, sourceIndex },
        resolution: { kind: sourceIndex < resolved ? "allowedOnce" : "pending" },
      }));
    const subject = (resolved) => ({ kind: "shell", toolName: "shell", command, stages: stages(resolved) });
    const approval = new Approval(turn, { tool: "shell", args: { command }, choices: ONCE_OR_ABORT });
    approvalId = approval.approvalId;
    approval.subject = subject(0);
    approval.tell();
    approval.ask();
    approval.receipt();
    rec.shows("A command line of two stages waits for the approval of the first.");
    approval.decide("allow_once", { terminal: false });
    rec.shows("The first decision names the first requirement, and its ack says that it is not the last.");
    approval.advance(subject(1));
    rec.shows("An event alone brings the next requirement; there is no second request of the host.");
    approval.decide("allow_once");
    approval.resolve({ stageEvidence: stages(2).map(({ argvComplete: _, ...stage }) => stage) });
    approval.item.finish("completed", { visibleOutput: "map.svg\n", truncated: false });
    rec.shows("The second decision closes the approval, with the record of both stages, and the call runs.");
    turn.completed();
    rec.shows("The turn ends.");
  },
};
