import { z } from 'zod';
import type { Collection, CollectionSpec, Query, Row, Store, Where } from '../../src/platform/store/collection.ts';

/** A call that cannot be answered by one shard alone. */
export class CrossShardError extends Error {
  constructor(shape: string) {
    super(`${shape} names no organization: it would ask every shard`);
    this.name = 'CrossShardError';
  }
}

export interface Sharding {
  /** Calls that may ask every shard, as {@link shapeOf} writes them, each with the reason. */
  across: Readonly<Record<string, string>>;
  /** Told of each call that did. */
  onAcross(shape: string): void;
}

/** Whether a collection's rows belong to organizations: then `organization_id` is its shard key. All others count as one shard. */
export function isSharded<R extends Row>({ schema }: CollectionSpec<R>): boolean {
  return schema instanceof z.ZodObject && 'organization_id' in schema.shape;
}

/**
 * The same store as if it were sharded by `organization_id`: a call on a sharded collection that does not name exactly one
 * organization is refused with {@link CrossShardError}, unless it is declared.
 */
export function asSharded(store: Store, sharding: Sharding): Store {
  const { across } = sharding;
  function judge(shape: string): void {
    sharding.onAcross(shape);
    if (!Object.hasOwn(across, shape)) throw new CrossShardError(shape);
  }

  function sharded<R extends Row>(inner: Collection<R>): Collection<R> {
    const { name } = inner.spec;
    const filter = (kind: string, where: Where<R>) => {
      const wanted = (where as Record<string, unknown>)['organization_id'];
      if (typeof wanted !== 'string') judge(`${name} ${kind} ${Object.keys(where).sort().join('+')}`);
    };
    const byKey = (kind: string) => {
      if (inner.spec.key !== 'organization_id') judge(`${name} ${kind}`);
    };
    const rowsOf = (kind: string, rows: readonly R[]) => {
      const organizations = rows.map((row) => (row as { organization_id?: unknown }).organization_id);
      if (new Set(organizations).size > 1 || organizations.some((id) => typeof id !== 'string'))
        judge(`${name} ${kind}`);
    };
    // Each is async, so that a refusal is an answer and not a throw at the call.
    return {
      spec: inner.spec,
      async get(key) {
        byKey('get');
        return inner.get(key);
      },
      async isCurrent(row) {
        rowsOf('isCurrent', [row]);
        return inner.isCurrent(row);
      },
      async getMany(keys, options) {
        byKey('getMany');
        return inner.getMany(keys, options);
      },
      async getField(keys, field) {
        byKey('getField');
        return inner.getField(keys, field);
      },
      async find(query: Query<R>) {
        filter('find', query.where);
        return inner.find(query);
      },
      async count(where, options) {
        filter('count', where);
        return inner.count(where, options);
      },
      async insert(row) {
        rowsOf('insert', [row]);
        return inner.insert(row);
      },
      async insertMany(rows, options) {
        rowsOf('insertMany', rows);
        return inner.insertMany(rows, options);
      },
      async replace(row, before) {
        rowsOf('replace', [row]);
        return inner.replace(row, before);
      },
      async update(key, change) {
        byKey('update');
        return inner.update(key, change);
      },
      async delete(key, count) {
        byKey('delete');
        return inner.delete(key, count);
      },
    };
  }

  const collections = new Map<string, unknown>();
  return {
    kind: store.kind,
    collection: <R extends Row>(spec: CollectionSpec<R>): Collection<R> => {
      const present = collections.get(spec.name) as Collection<R> | undefined;
      if (present) return present;
      const inner = store.collection(spec);
      const made = isSharded(spec) ? sharded(inner) : inner;
      collections.set(spec.name, made);
      return made;
    },
    prepare: () => store.prepare(),
    changesSince: (mark) => store.changesSince(mark),
    ping: () => store.ping(),
    close: () => store.close(),
  };
}
