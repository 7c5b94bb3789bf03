/** Resolves with the first answer of `look` that is not false or undefined; rejects after `withinMs` milliseconds. */
export async function until<T>(look: () => T | Promise<T>, withinMs = 20_000): Promise<Exclude<T, false | undefined>> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const found = await look();
    if (found !== false && found !== undefined) return found as Exclude<T, false | undefined>;
    if (Date.now() > deadline) throw new Error(`not so within ${withinMs} ms: ${look.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
