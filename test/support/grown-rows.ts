import type { z } from 'zod';
import type { Collection, CollectionSpec, Row, Store } from '../../src/platform/store/collection.ts';

/** What a newer release might write beside the fields that this one knows. */
export const NEWER = { of_a_newer_release: { kept: [1, 'two'] } } as const;

/**
 * The same store, as a newer release would have left it: every row that is read has a key that its schema does not name,
 * in every object of it that the schema describes. Fails a change that loses the row's own.
 */
export function withKeysOfANewerRelease(store: Store): Store {
  const collections = new Map<string, unknown>();
  return {
    ...store,
    collection: <R extends Row>(spec: CollectionSpec<R>): Collection<R> => {
      const present = collections.get(spec.name) as Collection<R> | undefined;
      const made = present ?? grown(store.collection(spec));
      collections.set(spec.name, made);
      return made;
    },
  };
}

function grown<R extends Row>(inner: Collection<R>): Collection<R> {
  const { schema, name } = inner.spec;
  const grow = (row: R): R => withNewerKeys(schema, row) as R;
  const assertKept = (row: R): R => {
    if (!('of_a_newer_release' in row)) throw new Error(`a change of a row of ${name} lost what it does not know`);
    return row;
  };
  return {
    spec: inner.spec,
    get: async (key) => {
      const row = await inner.get(key);
      return row && grow(row);
    },
    isCurrent: (row) => inner.isCurrent(row),
    getMany: async (keys, options) => (await inner.getMany(keys, options)).map(grow),
    find: async (query) => {
      const page = await inner.find(query);
      return { ...page, rows: page.rows.map(grow) };
    },
    getField: (keys, field) => inner.getField(keys, field),
    count: (where, options) => inner.count(where, options),
    insert: (row) => inner.insert(row),
    insertMany: (rows, options) => inner.insertMany(rows, options),
    replace: async (row) => {
      const stored = await inner.replace(assertKept(row));
      return stored && grow(stored);
    },
    update: async (key, change) => {
      const outcome = await inner.update(key, (row) => {
        const changed = change(grow(row));
        return changed && assertKept(changed);
      });
      return outcome && { ...outcome, row: grow(outcome.row) };
    },
    delete: (key, count) => inner.delete(key, count),
  };
}

/** The value with {@link NEWER} in every object that the schema describes; free JSON is left alone. */
function withNewerKeys(schema: z.core.$ZodType, value: unknown): unknown {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const inner = 'innerType' in def ? def.innerType : undefined;
  if (inner !== undefined) return withNewerKeys(inner, value);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  switch (def.type) {
    case 'object':
      return {
        ...Object.fromEntries(
          entries.map(([key, part]) => {
            const field = def.shape[key];
            return [key, field === undefined ? part : withNewerKeys(field, part)];
          }),
        ),
        ...NEWER,
      };
    case 'array':
      return (value as unknown[]).map((part) => withNewerKeys(def.element, part));
    case 'record':
      return Object.fromEntries(entries.map(([key, part]) => [key, withNewerKeys(def.valueType, part)]));
    case 'union': {
      const option = def.options.find((one) => (one as z.ZodType).safeParse(value).success);
      return option === undefined ? value : withNewerKeys(option, value);
    }
    default:
      return value;
  }
}
