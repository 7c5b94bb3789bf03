/**
 * What the simulated ad server can be told to do wrong, by a word in a `buyer_ref` of the buy or of one of its packages,
 * such as `spring-launch sim-delay` (`docs/decisions/0014-simulated-ad-server.md`):
 * `sim-reject` refuses the order; `sim-fail` breaks down twice before it takes it; `sim-delay` reports a day late;
 * `sim-correct` takes back a tenth of each noon hour's impressions the next morning.
 */
export const SIMULATED_TROUBLE = ['reject', 'fail', 'delay', 'correct'] as const;
export type SimulatedTrouble = (typeof SIMULATED_TROUBLE)[number];

/** The kinds of trouble that these names ask for. */
export function troubleIn(names: readonly (string | null)[]): SimulatedTrouble[] {
  return SIMULATED_TROUBLE.filter((kind) => names.some((name) => name?.includes(`sim-${kind}`)));
}
