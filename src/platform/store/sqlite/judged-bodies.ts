/**
 * Bodies that this process has written itself, by collection and key. What stands there was judged by its schema when it was
 * written; while the very same text is read again, it needs no second judgment. See docs/decisions/0055-what-a-process-wrote-itself.md.
 */
export interface JudgedBodies {
  note(collection: string, key: string, body: string): void;
  /** Whether this is, letter for letter, what was last noted of that row. */
  has(collection: string, key: string, body: unknown): boolean;
}

/** Characters kept in all: some hundreds of rows, as many as are at work at a time. */
const MOST_CHARACTERS = 4_000_000;

export function judgedBodies(mostCharacters = MOST_CHARACTERS): JudgedBodies {
  const bodies = new Map<string, string>();
  let characters = 0;

  function forget(id: string): void {
    characters -= bodies.get(id)?.length ?? 0;
    bodies.delete(id);
  }

  return {
    note(collection, key, body) {
      const id = idOf(collection, key);
      forget(id);
      if (body.length > mostCharacters / 8) return;
      bodies.set(id, body);
      characters += body.length;
      for (const oldest of bodies.keys()) {
        if (characters <= mostCharacters) return;
        forget(oldest);
      }
    },
    has: (collection, key, body) => bodies.get(idOf(collection, key)) === body,
  };
}

function idOf(collection: string, key: string): string {
  return `${collection} ${key}`;
}
