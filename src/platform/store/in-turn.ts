export type InTurn = <T>(key: string, action: () => Promise<T>) => Promise<T>;

/** Runs actions for the same key one after another, in the order of the calls; those for other keys at once. */
export function inTurnByKey(): InTurn {
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

/** Runs actions that have any key in common one after another; in order, so that none waits for one that waits for it. */
export function inTurnByKeys(): <T>(keys: readonly string[], action: () => Promise<T>) => Promise<T> {
  const inTurn = inTurnByKey();
  const run = <T>([first, ...others]: readonly string[], action: () => Promise<T>): Promise<T> =>
    first === undefined ? action() : inTurn(first, () => run(others, action));
  return (keys, action) => run([...new Set(keys)].sort(), action);
}
