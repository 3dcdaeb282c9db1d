// The stages of the generator, one after the other, over one bundle. A sample has the ms of each, the median of a window.
import { spentMs } from "../lib/clock.mjs";
import { codegen } from "../lib/places.mjs";
import { medians } from "../lib/statistics.mjs";

export default async function prepare({ bundle, products, windowMs }) {
  const [
    { Findings },
    { readBundle },
    { buildProtocol },
    { lint },
    { project },
    { fingerprintOf },
    { emitProducts },
  ] = await Promise.all(
    [
      "diagnostics/finding.js",
      "bundle/read.js",
      "model/build.js",
      "lint/lint.js",
      "model/project.js",
      "fingerprint/fingerprint.js",
      "emit/products.js",
    ].map(codegen),
  );
  return async () => {
    const times = {};
    const end = spentMs() + windowMs;
    do await run(times);
    while (spentMs() < end);
    return medians(times);
  };

  async function run(times) {
    let last = spentMs();
    const lap = (stage) => {
      const now = spentMs();
      (times[stage] ??= []).push(now - last);
      last = spentMs();
    };
    const findings = new Findings({ severities: { "integer-without-range": "off" } });
    const { root, source } = readBundle(bundle, findings);
    lap("read and check");
    const protocol = buildProtocol(root);
    lap("model");
    lint({ protocol, source, findings });
    lap("lint");
    const stable = project(protocol, "stable");
    lap("project");
    const fingerprints = { stable: fingerprintOf(stable), experimental: fingerprintOf(protocol, stable) };
    lap("fingerprint");
    const { fingerprint } = fingerprints.experimental;
    const plan = { protocol, fingerprint, fingerprints, command: "bench" };
    for (const product of products) {
      await emitProducts(plan, [product]);
      lap(`emit ${product}`);
    }
    if (findings.hasErrors) throw new Error(`${bundle} has errors`);
  }
}
