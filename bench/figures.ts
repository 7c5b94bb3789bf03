export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The value that `q` (0 to 1) of all are below; NaN where there are none. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? NaN;
}
