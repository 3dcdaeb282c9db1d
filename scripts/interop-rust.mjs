// Builds the examples of the official Rust crate, and runs them against `mspkit serve`: npm run interop:rust.
// Needs cargo, and the crate index or what cargo has kept of it. Exit code 0 when all of them end as they should, 1 when
// one does not, 3 when they cannot be built here. Nothing of the crate is part of this project.
import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const CRATE = "muse-code-sdk";
const VERSION = "1.4.14";
/** Only a hang reaches it; milliseconds. */
const LONGEST = 60_000;

const root = fileURLToPath(new URL("..", import.meta.url));
const program = join(root, "dist/bin/mspkit.cjs");
const cache = join(root, "node_modules/.cache/interop-rust");

const message = (id, text) => ({
  emit: { type: "itemCompleted", item: { itemId: id, kind: "agentMessage", text } },
});
const shell = { itemId: "pwd", kind: "toolCall", tool: "shell", callId: "call_1", args: '{"command":"pwd"}' };
const choice = (choiceId, label, decision, scope) => ({ choiceId, label, decision, scope });
const completed = { end: { terminal: "completed" } };

/** What the agent does where an example needs more than an echo of its words. */
const AGENTS = {
  // The second session denies what no rule allows: there the shell is refused unasked.
  "approve-deny": [
    {
      steps: [
        {
          ask: {
            type: "approval",
            item: shell,
            toolName: "shell",
            rawArgs: shell.args,
            subject: { kind: "shell", toolName: "shell", command: "pwd" },
            stages: [
              [
                choice("once", "Allow once", "approved", "once"),
                choice("session", "Allow in this session", "approvedForSession", "session"),
                choice("deny", "Deny", "denied", "once"),
              ],
            ],
          },
        },
        { emit: { type: "itemCompleted", item: { ...shell, visibleOutput: "/\n", truncated: false } } },
        message("summary", "It is the root."),
        completed,
      ],
    },
    {
      steps: [
        { emit: { type: "itemStarted", item: shell } },
        {
          emit: {
            type: "itemCompleted",
            item: { ...shell, status: "rejected", failureReason: "denied by the mode of the session" },
          },
        },
        message("excuse", "The shell is not allowed here."),
        completed,
      ],
    },
  ],
  cancel: [{ steps: [{ hang: true }] }],
};

/** The examples: the program, its words, and what it must have said. */
const EXAMPLES = [
  ["quickstart", [], [/^Summarize this repository\.$/m, /^turn completed$/m]],
  ["readme", [], [/^turn ended as Completed$/m]],
  ["recipes", [], [/\] Stream the answer as item revisions arrive\.$/m, /^turn completed$/m]],
  ["recipes", ["approve-deny"], [/\] It is the root\.$/m, /\] The shell is not allowed here\.$/m]],
  [
    "recipes",
    ["cancel"],
    [/^closing client while turn .+ is pending$/m, /^turn (cancelled|settled locally)/m],
  ],
  ["recipes", ["retry-safe"], [/^submitted turn .+; reconnecting by session id$/m]],
];

function cannot(what, details = "") {
  console.error(`interop:rust cannot run: ${what}`);
  if (details !== "") console.error(details.trim().split("\n").slice(-12).join("\n"));
  process.exit(3);
}

function cargo(words, cwd) {
  const { status, error, stdout, stderr } = spawnSync("cargo", words, {
    cwd,
    // What only somebody who looks into the examples needs is a gigabyte.
    env: { ...process.env, CARGO_PROFILE_DEV_DEBUG: "0", CARGO_INCREMENTAL: "0" },
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  return {
    missing: error?.code === "ENOENT",
    fine: status === 0,
    stdout: stdout ?? "",
    stderr: stderr ?? "",
  };
}

/** Builds the examples where they are not built; the folder that has them. */
function built() {
  const asked = cargo(["--version"]);
  if (asked.missing || !asked.fine) cannot("cargo is not installed; see https://rustup.rs", asked.stderr);
  const examples = join(cache, "target/debug/examples");
  const done = join(cache, `done-${VERSION}`);
  if (existsSync(done)) return examples;

  // A package that depends on the crate makes cargo unpack it.
  const probe = join(cache, "probe");
  mkdirSync(join(probe, "src"), { recursive: true });
  writeFileSync(join(probe, "src/main.rs"), "fn main() {}\n");
  writeFileSync(
    join(probe, "Cargo.toml"),
    `[package]\nname = "probe"\nversion = "0.0.0"\nedition = "2021"\n\n[dependencies]\n${CRATE} = "=${VERSION}"\n\n[workspace]\n`,
  );
  const metadata = cargo(["metadata", "--format-version", "1"], probe);
  if (!metadata.fine) cannot(`cargo cannot have ${CRATE} ${VERSION}`, metadata.stderr);
  const manifest = JSON.parse(metadata.stdout).packages.find(({ name }) => name === CRATE)?.manifest_path;
  if (manifest === undefined) cannot(`cargo knows no ${CRATE} ${VERSION}`);

  console.error(`${CRATE} ${VERSION}: building its examples, which takes some minutes the first time ...`);
  const crate = join(cache, "crate");
  rmSync(crate, { recursive: true, force: true });
  cpSync(dirname(manifest), crate, { recursive: true });
  // Outside of any workspace, and with compilers that are older than the crate asks for: it builds with them.
  const words = ["build", "--examples", "--locked", "--ignore-rust-version"];
  const build = cargo([...words, "--target-dir", join(cache, "target")], crate);
  if (!build.fine) cannot(`the examples of ${CRATE} ${VERSION} do not build`, build.stderr);
  writeFileSync(done, "");
  return examples;
}

/** Runs one example in a folder of its own, with `muse` on its PATH; what is wrong, or nothing. */
async function run(examples, folder, [example, words, says]) {
  const place = mkdtempSync(join(folder, `${example}-`));
  const script = AGENTS[words[0]];
  const serve = ["--store", `file:${join(place, "store")}`];
  if (script !== undefined) {
    const file = join(place, "agent.json");
    writeFileSync(file, JSON.stringify({ version: 1, turns: script }));
    serve.push("--agent-script", file);
  }
  const bin = join(place, "bin");
  mkdirSync(bin);
  const command = [process.execPath, program].map(quoted).join(" ");
  const muse = `#!/bin/sh\nexec ${command} "$@" ${serve.map(quoted).join(" ")}\n`;
  writeFileSync(join(bin, "muse"), muse, { mode: 0o755 });

  const child = spawn(join(examples, example), words, {
    cwd: place,
    env: { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: LONGEST,
    killSignal: "SIGKILL",
  });
  let said = "";
  let errors = "";
  child.stdout.on("data", (chunk) => {
    said += chunk;
  });
  child.stderr.on("data", (chunk) => {
    errors += chunk;
  });
  const code = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (exit, signal) => resolve(exit ?? signal));
  });
  const missing = says.filter((pattern) => !pattern.test(said));
  if (code === 0 && missing.length === 0) return undefined;
  const why = code === 0 ? `did not say ${missing.join(", ")}` : `exit ${code}`;
  return `${why}\n${said}${errors}`;
}

function quoted(word) {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

if (process.platform === "win32") cannot("a host is started here through a shell script named muse");
if (!existsSync(program)) cannot("dist/ is not built; npm run build");
const examples = built();
const folder = mkdtempSync(join(tmpdir(), "mspkit-interop-rust-"));
let failed = 0;
try {
  for (const example of EXAMPLES) {
    const wrong = await run(examples, folder, example);
    const name = [example[0], ...example[1]].join(" ");
    console.log(wrong === undefined ? `ok  ${name}` : `FAIL  ${name}: ${wrong}`);
    if (wrong !== undefined) failed++;
  }
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
console.log(
  `${EXAMPLES.length - failed} of ${EXAMPLES.length} examples of ${CRATE} ${VERSION} ended as they should`,
);
process.exitCode = failed === 0 ? 0 : 1;
