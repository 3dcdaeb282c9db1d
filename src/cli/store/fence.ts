/** `mspkit store fence`: takes a session away from a holder that is stuck. */
import { type Command, EXIT } from "../command.js";
import { givenId, givenSpace, spaceOption, withStore } from "./with-store.js";

export const fenceCommand: Command = {
  summary: "Take a session away from a host that is stuck: what that writes from now on counts for nothing.",
  operands: "SESSION",
  maxOperands: 1,
  options: { space: spaceOption },
  run: (given, io) =>
    withStore(given, io, async (store) => {
      const id = givenId(given);
      const space = givenSpace(given);
      const before = await store.state(space, id);
      await store.fence(space, id);
      io.err(before === "held" ? `${id} was taken from its holder\n` : `${id} was held by nobody\n`);
      return EXIT.fine;
    }),
};
