import type { DestinationView } from '../../operator/webhooks/destinations.ts';

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

/** In a word: whether anything goes there, and whether it is taken. Pure. */
export function stateOfReceiver({ is_paused, consecutive_failures }: DestinationView): string {
  if (is_paused) return 'paused';
  return consecutive_failures > 0 ? 'failing' : 'ok';
}
