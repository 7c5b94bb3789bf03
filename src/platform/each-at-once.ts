/**
 * Does the work for every item, at most so many at once, in their order. What must not stop the others is to be caught by the
 * work itself: the first failure is thrown.
 */
export async function eachAtOnce<T>(
  items: Iterable<T>,
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = [...items];
  const lane = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, queue.length) }, lane));
}
