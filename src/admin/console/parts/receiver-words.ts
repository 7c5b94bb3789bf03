/** A time in the largest unit that it fills. Pure. */
export function tookIn(ms: number): string {
  const [unit, length] = UNITS.find((one) => ms >= one[1]) ?? ['ms', 1];
  return `${(ms / length).toLocaleString('en', { maximumFractionDigits: 1 })} ${unit}`;
}

const UNITS = [
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;
