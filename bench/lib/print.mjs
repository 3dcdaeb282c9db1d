// The tables that a person reads.

/** Prints the medians of a measurement and its ratios beside their targets. */
export function printMeasurement({ suite, name, title }, { medians, ratios, again }) {
  const rows = Object.entries(medians).map(([contender, value]) => [contender, number(value)]);
  const judged = ratios.map(({ what, ratio, bound, target, unit, holds, lacks }) => [
    what,
    ratio === undefined ? "-" : `${ratio.toFixed(2)}${unit}`,
    `${bound} ${target}${unit}`,
    ratio === undefined ? `not measured: no ${lacks}` : holds ? "holds" : "MISSED",
  ]);
  process.stdout.write(
    `\n${title}  [${suite}, ${name}${again ? ", second run" : ""}]\n${table(rows)}\n${table(judged)}`,
  );
}

/** Prints what it comes to, and gives the exit code that says so. */
export function printVerdict(results) {
  const ratios = results.flatMap((result) => result.ratios.map((ratio) => ({ ...ratio, of: result.name })));
  const missed = ratios.filter(({ holds }) => holds === false);
  const unmeasured = ratios.filter(({ holds }) => holds === undefined);
  const held = `${ratios.length - missed.length - unmeasured.length} of ${ratios.length} ratios hold`;
  const also = unmeasured.length === 0 ? "" : `, ${unmeasured.length} not measured`;
  if (missed.length === 0) {
    process.stdout.write(`\n${held}${also}.\n`);
    return unmeasured.length === 0 ? 0 : 3;
  }
  process.stdout.write(`
${held}${also}. Inconclusive: a measurement says nothing about correctness, and a busy machine
can spoil two runs. Close what else runs and repeat the measurements that missed:

  npm run bench -- --only ${[...new Set(missed.map(({ of }) => of))].join(",")}

What misses again on an idle machine has become slower; bench/README.md says what each line means.
`);
  return 4;
}

/** Three digits that matter. */
function number(value) {
  if (value >= 1e6) return `${(value / 1e6).toFixed(2)} M`;
  return value >= 1000 ? String(Math.round(value)) : value.toPrecision(3);
}

function table(rows) {
  if (rows.length === 0) return "";
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows
    .map(
      (row) =>
        `  ${row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join("   ")}\n`,
    )
    .join("");
}
