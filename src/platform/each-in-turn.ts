/**
 * Does the work for each item, one after the other, whatever becomes of the others.
 * @throws what the first of them that failed threw, once all have been tried.
 */
export async function eachInTurn<T>(
  items: Iterable<T> | AsyncIterable<T>,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const faults: unknown[] = [];
  for await (const item of items) await work(item).catch((error: unknown) => faults.push(error));
  if (faults.length > 0) throw faults[0];
}
