// Medians, and ratios held to a target.

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** The median of each list of a record. */
export function medians(samples) {
  return Object.fromEntries(Object.entries(samples).map(([name, values]) => [name, median(values)]));
}

/** A ratio that may be no larger than its target. */
export function atMost(target, what, ratio, unit = "x") {
  return { what, ratio, target, bound: "at most", unit, holds: ratio <= target };
}

/** A ratio that may be no smaller than its target. */
export function atLeast(target, what, ratio, unit = "x") {
  return { what, ratio, target, bound: "at least", unit, holds: ratio >= target };
}

/** A ratio that this machine cannot be asked for: it neither holds nor misses its target. `lacks` says what it has not. */
export function notMeasured(target, what, bound, lacks, unit = "x") {
  return { what, target, bound, unit, lacks };
}
