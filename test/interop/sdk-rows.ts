/** Which tests of the SDK's source distribution are run, and how many of them there are. */
import type { TestEnd } from "./sdk-tests.js";

/** Tests of one file of the distribution: the ones whose names begin so, or all that no other row has. */
export interface Row {
  readonly file: string;
  readonly tests?: string;
  readonly passed: number;
  readonly skipped?: number;
  readonly needsReference?: boolean;
}

/** The tests that start a host from outside: all of them start ours. */
export const HOST_FROM_OUTSIDE: readonly Row[] = [
  { file: "test_spawn_handshake", passed: 4 },
  {
    file: "test_sync_facade",
    tests: "test_sync_spawn_initialize_and_close_against_the_fixture_host",
    passed: 1,
  },
  { file: "test_muse_serve_child", tests: "test_stderr_tail_and_exit_code_table", passed: 7 },
];

/** The others of use; the SDK skips two below Python 3.12. */
export const beside = ([, minor]: readonly [number, number]): readonly Row[] => [
  { file: "test_asyncio_cancellation", passed: 5 },
  { file: "test_connection", passed: 23 },
  { file: "test_connection_error_arms", passed: 17 },
  { file: "test_facade_approval", passed: 31 },
  {
    file: "test_facade_approval",
    tests: "test_the_user_input_transcripts_drive_the_recorded_decision_back_out",
    passed: 2,
    needsReference: true,
  },
  minor >= 12
    ? { file: "test_facade_approval_resend", passed: 15 }
    : { file: "test_facade_approval_resend", passed: 13, skipped: 2 },
  { file: "test_facade_gap_fill", passed: 27 },
  { file: "test_facade_open_same_chunk", passed: 5 },
  { file: "test_facade_persistent_approval", passed: 6 },
  { file: "test_facade_required_selection", passed: 9 },
  { file: "test_facade_turn", passed: 59 },
  { file: "test_facade_user_input_resend", passed: 13 },
  { file: "test_host_discovery", passed: 23 },
  { file: "test_item_store", passed: 9 },
  { file: "test_muse_serve_child", passed: 41 },
  { file: "test_pending_command_corpus", passed: 2, needsReference: true },
  { file: "test_pending_command_set", passed: 28 },
  { file: "test_pending_command_wire_binding", passed: 9 },
  { file: "test_permission_state_wire_types", passed: 6 },
  {
    file: "test_recovery_observation",
    tests: "test_facade_forwards_recovery_selection_or_omits_it",
    passed: 6,
  },
  { file: "test_session_fold", passed: 66 },
  { file: "test_spawn_host_lost", passed: 13 },
  { file: "test_state_store", passed: 11 },
  { file: "test_sync_facade", passed: 15 },
  // One, and one for each recording of what no host can send: three of the reference, one of ours.
  { file: "test_tolerance_corpus", passed: 5, needsReference: true },
];

/** The row in which a test counts: one that names it, else the one of its file. */
export function rowOf(rows: readonly Row[], { file, name }: TestEnd): Row | undefined {
  const ofFile = rows.filter((row) => row.file === file);
  return (
    ofFile.find(({ tests }) => tests !== undefined && name.startsWith(tests)) ??
    ofFile.find(({ tests }) => tests === undefined)
  );
}

/** What to run for rows: files, and single tests of files that are not run as a whole. */
export function selection(rows: readonly Row[]): readonly string[] {
  const whole = new Set(rows.filter(({ tests }) => tests === undefined).map(({ file }) => file));
  const single = rows.filter(({ file, tests }) => tests !== undefined && !whole.has(file));
  return [
    ...[...whole].map((file) => `${file}.py`),
    ...single.map(({ file, tests }) => `${file}.py::${tests}`),
  ];
}

/** A row in words. */
export function titleOf({ file, tests }: Row): string {
  return tests === undefined ? file : `${file}: ${tests}`;
}
