/** What a law of a store is. */
import type { PlaceLaw } from "../places/law.js";
import type { Trial } from "./trial.js";

/** A promise of every store, and how it is put to the test. */
export type StoreLaw = PlaceLaw<Trial, "mortal" | "unplugged" | "failing">;
