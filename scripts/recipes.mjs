// Runs the recipes: each program examples/NAME/main.mjs, in a process of its own, against recorded hosts and, where it
// can, against `mspkit serve`. Exit code 0 when all of their assertions hold, 1 when one does not, 2 for wrong words.
//   node scripts/recipes.mjs [--only NAME] [--list]
import { spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const examples = fileURLToPath(new URL("../examples", import.meta.url));
/** Only a hang reaches it; milliseconds. */
const LONGEST = 60_000;

/** Recipes of recorded hosts alone, and why. */
const RECORDED_ALONE = {
  "fingerprint-check": "its hosts serve schemas of other releases",
  "resume-and-replay":
    "its hosts die at one moment of a command, and one says later that it had taken it in; survive-a-host-crash kills a real one",
  "survive-a-gap": "its hosts drop events at one place",
};
/** Recipes that have no recorded host: they bring `mspkit serve` along. */
const EMBEDDED_ALONE = ["survive-a-host-crash", "switch-models-mid-session"];

const names = readdirSync(examples)
  .filter((name) => existsSync(join(examples, name, "main.mjs")))
  .sort();
const words = process.argv.slice(2);

if (words.length === 1 && words[0] === "--list") {
  console.log(names.join("\n"));
} else if (words.length === 0) {
  await runAll(names);
} else if (words.length === 2 && words[0] === "--only" && names.includes(words[1])) {
  await runAll([words[1]]);
} else {
  console.error(`usage: npm run recipes [-- --only NAME | --list]\nthe recipes:\n  ${names.join("\n  ")}`);
  process.exitCode = 2;
}

async function runAll(chosen) {
  const failed = [];
  for (const name of chosen) {
    console.log(`${name === chosen[0] ? "" : "\n"}== ${name}`);
    const held = await runOne(name);
    if (!held) failed.push(name);
  }
  const held = `${chosen.length - failed.length} of ${chosen.length} recipes hold`;
  console.log(`\n${held}${failed.length === 0 ? "" : `; failed: ${failed.join(", ")}`}`);
  process.exitCode = failed.length === 0 ? 0 : 1;
}

/** Whether a recipe holds against every host that it can have. */
async function runOne(name) {
  const held = await run(name, "recorded");
  if (!held || EMBEDDED_ALONE.includes(name)) return held;
  const why = RECORDED_ALONE[name];
  if (why !== undefined) {
    console.log(`-- not against mspkit serve: ${why}`);
    return true;
  }
  console.log("-- against mspkit serve");
  return run(name, "serve");
}

/** Whether a recipe holds. It has to end by itself, and to have asserted something. */
function run(name, host) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [join(examples, name, "main.mjs")], {
      env: { ...process.env, MSPKIT_RECIPE_HOST: host },
      stdio: ["ignore", "pipe", "inherit"],
    });
    let printed = "";
    child.stdout.setEncoding("utf8");
    child.stdout.on("data", (text) => {
      printed += text;
      process.stdout.write(text);
    });
    const timer = setTimeout(() => {
      console.log(`FAIL  ${name} did not end within ${LONGEST / 1_000} seconds`);
      child.kill("SIGKILL");
    }, LONGEST);
    child.once("close", (code) => {
      clearTimeout(timer);
      resolve(code === 0 && /^ok {2}/m.test(printed));
    });
  });
}
