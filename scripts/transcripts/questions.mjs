// Questions of the agent to the user.
import { Question } from "./asks.mjs";
import { open } from "./turns.mjs";

const TREE = {
  id: "rootstock",
  header: "Rootstock",
  question: "Which rootstock shall the new row stand on?",
  selection: { mode: "single" },
  options: [
    { label: "M9", description: "Small trees that need a stake." },
    { label: "MM106", description: "Medium trees that stand alone." },
  ],
};

/** A turn that asks. */
function ask(rec) {
  const session = open(rec);
  const turn = session.run("Plant a new row along the ditch.");
  const question = new Question(turn, TREE);
  question.tellAndAsk();
  question.receipt();
  rec.shows(
    "The agent asks: a tool call, an event, and a request of the host, which the client answers with a receipt.",
  );
  return { turn, question };
}

/** The scenarios by name. */
export const questions = {
  "user-input-round-trip": (rec) => {
    const { turn, question } = ask(rec);
    const answers = [{ questionId: TREE.id, selectedLabel: "MM106" }];
    question.command("userInput/answer", { answers });
    rec.shows("The answer is a command; the ack names the question.");
    question.settle("answered", { answers });
    question.item.finish("completed", { visibleOutput: "MM106", truncated: false });
    rec.shows("The question is settled once, by the command that is named, and the call that asked ends.");
    turn.message("Twelve trees on MM106, four paces apart.");
    turn.completed();
    rec.shows("The turn goes on.");
  },

  "user-input-cancel": (rec) => {
    const { turn, question } = ask(rec);
    const reason = "not decided yet";
    question.command("userInput/cancel", { reason });
    rec.shows("The user does not want to answer: a command too.");
    question.settle("cancelled", { reason });
    question.item.finish("cancelled", { truncated: false });
    rec.shows("The question is settled without answers, and the call that asked is cancelled.");
    turn.message("The row can wait; the ditch is measured: 48 metres.");
    turn.completed();
    rec.shows("The turn is not: it goes on to its own end.");
  },
};
