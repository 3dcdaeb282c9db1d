/** All kinds of edits. */
import type { Edit } from "./edit.js";
import { FORM_EDITS } from "./forms.js";
import { MEMBER_EDITS } from "./members.js";
import { MESSAGE_EDITS } from "./messages.js";
import { VALUE_EDITS } from "./values.js";

/** The edits; names are unique. */
export const EDITS: readonly Edit[] = [...MEMBER_EDITS, ...VALUE_EDITS, ...FORM_EDITS, ...MESSAGE_EDITS];
