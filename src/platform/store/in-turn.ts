/** Runs actions for the same key one after another, in the order of the calls; those for other keys at once. */
export function inTurnByKey(): <T>(key: string, action: () => Promise<T>) => Promise<T> {
  const newest = new Map<string, Promise<unknown>>();
  return async (key, action) => {
    const before = newest.get(key);
    const mine = before ? before.then(action, action) : action();
    newest.set(key, mine);
    try {
      return await mine;
    } finally {
      if (newest.get(key) === mine) newest.delete(key);
    }
  };
}
