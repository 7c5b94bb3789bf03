import type { Collection, Condition, Row, Scalar, Store, Where } from './collection.ts';
import { aboutRows, toldFields } from './told-changes.ts';
import { wrappedStore } from './wrapped-store.ts';

/** Hears what a read is about, by {@link aboutRows}, before it is begun; undefined: what it answers may change without a word, or it writes. */
export type NoteRead = (rows: readonly string[] | undefined) => void;

/**
 * The same store, that says of each read which rows its answer depends on: every write that can change the answer touches one of them,
 * before it or after. So what `changesSince` tells is enough to know that an answer still stands.
 */
export function notingStore(store: Store, note: NoteRead): Store {
  return wrappedStore(store, (inner) => notingCollection(inner, note));
}

function notingCollection<R extends Row>(inner: Collection<R>, note: NoteRead): Collection<R> {
  const { spec } = inner;
  // Rows that expire go without being written.
  const told = spec.expires === undefined ? toldFields(spec) : [];
  const about = (field: string, values: readonly string[]) => values.map((value) => aboutRows(spec.name, field, value));
  const noteKeys = (keys: readonly string[]) => {
    note(told.length === 0 ? undefined : about(spec.key, keys));
  };
  const noteWhere = (where: Where<R>) => {
    for (const field of told) {
      const values = valuesOf(where[field]);
      if (values !== undefined) {
        note(about(field, values));
        return;
      }
    }
    note(undefined);
  };
  const noteWrite = () => {
    note(undefined);
  };
  return {
    spec,
    get: (key) => {
      noteKeys([key]);
      return inner.get(key);
    },
    isCurrent: (row) => {
      noteKeys([String(row[spec.key])]);
      return inner.isCurrent(row);
    },
    getMany: (keys, options) => {
      noteKeys(keys);
      return inner.getMany(keys, options);
    },
    getField: (keys, field) => {
      noteKeys(keys);
      return inner.getField(keys, field);
    },
    find: (query) => {
      noteWhere(query.where);
      return inner.find(query);
    },
    count: (where, options) => {
      noteWhere(where);
      return inner.count(where, options);
    },
    insert: (row) => {
      noteWrite();
      return inner.insert(row);
    },
    insertMany: (rows, options) => {
      noteWrite();
      return inner.insertMany(rows, options);
    },
    replace: (row, before) => {
      noteWrite();
      return inner.replace(row, before);
    },
    update: (key, change) => {
      noteWrite();
      return inner.update(key, change);
    },
    delete: (key, count) => {
      noteWrite();
      return inner.delete(key, count);
    },
  };
}

/** The texts that a condition asks for; undefined where it may hold for other values, too. */
function valuesOf(condition: Condition | undefined): readonly string[] | undefined {
  if (typeof condition === 'string') return [condition];
  if (typeof condition !== 'object' || condition === null || !('in' in condition)) return undefined;
  return condition.in.every((value: Scalar) => typeof value === 'string') ? condition.in : undefined;
}
