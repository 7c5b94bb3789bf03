/** Much longer than anything takes, however slow the machine, in milliseconds: an end for what never comes. */
export const LONG_MS = 120_000;

/**
 * Resolves with the first answer of `look` that is not false or undefined; rejects after `withinMs` milliseconds.
 * @param everyMs How often it looks: seldom, where looks are counted.
 */
export async function until<T>(
  look: () => T | Promise<T>,
  withinMs = LONG_MS,
  everyMs = 20,
): Promise<Exclude<T, false | undefined>> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const found = await look();
    if (found !== false && found !== undefined) return found as Exclude<T, false | undefined>;
    if (Date.now() > deadline) throw new Error(`not so within ${withinMs} ms: ${look.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
