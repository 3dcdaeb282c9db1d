/**
 * One seed for what is drawn by fast-check, so that a run of the tests says something about the change at hand and a count
 * of what was really tried is the same each time. `FC_SEED=random` looks for what nobody has met yet; fast-check prints the
 * seed of a failure, and `FC_SEED=N` repeats it. A property that names its own seed keeps it.
 */
import fc from "fast-check";

const { FC_SEED: chosen = "20261130" } = process.env;
if (chosen !== "random") fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(chosen) });
