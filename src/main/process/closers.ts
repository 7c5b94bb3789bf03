/** What has been opened so far, to be closed in the reverse order. */
export interface Closers {
  add(close: () => unknown): void;
  /**
   * Closes everything, the rest too when one fails. Repeats wait for the first.
   * @throws the failure, or an AggregateError of several.
   */
  close(): Promise<void>;
}

export function createClosers(): Closers {
  const all: (() => unknown)[] = [];
  let closing: Promise<void> | undefined;

  async function closeAll(): Promise<void> {
    const failures: unknown[] = [];
    for (const close of all.splice(0).reverse()) {
      try {
        await close();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 1) throw new AggregateError(failures, failures.map(String).join('; '));
    if (failures.length === 1) throw failures[0];
  }

  return {
    add(close) {
      all.push(close);
    },
    close: () => (closing ??= closeAll()),
  };
}

/** Opens several things in turn; when that fails half way, closes those that were opened and passes the failure on. */
export async function opening<T>(open: (closers: Closers) => Promise<T>): Promise<T> {
  const closers = createClosers();
  try {
    return await open(closers);
  } catch (error) {
    await closers.close().catch(() => undefined);
    throw error;
  }
}
