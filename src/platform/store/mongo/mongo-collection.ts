import { setTimeout as delay } from 'node:timers/promises';
import { toTimestamp } from '../../clock.ts';
import { DuplicateError, StoreUnavailableError } from '../collection.ts';
import type { Collection, Row, Scalar } from '../collection.ts';
import { readPage } from '../collection-page.ts';
import type { PlacedRow } from '../collection-page.ts';
import { planCount, planFind } from '../collection-query.ts';
import type { Plan } from '../collection-query.ts';
import { counterOf, rawCountOf } from '../collection-rows.ts';
import type { StoredRow } from '../collection-rows.ts';
import { inTurnByKey, inTurnByKeys } from '../in-turn.ts';
import { newToken, rowIn, toRawUpdate } from './mongo-documents.ts';
import { findDuplicate, placesOf } from './mongo-duplicates.ts';
import { afterFilter, allOf, liveFilter, termsFilter } from './mongo-filter.ts';
import { documentField } from './mongo-model.ts';
import type { Document } from './mongo-model.ts';
import { isDuplicateKey } from './mongo-persistence.ts';
import { deleteRow, insertRow, insertRows, replaceRow } from './mongo-writes.ts';
import type { MongoTarget } from './mongo-writes.ts';
import type { RawRows } from '../store-driver.ts';

/** Documents in one round trip. */
const BATCH = 1000;

export function createMongoCollection<R extends Row>(target: MongoTarget<R>): Collection<R> {
  const { spec, shape, codec, model, persist, nowMs, timeoutMs } = target;
  const inTurn = inTurnByKey();
  /** Inserts for one place at once are conflicts for any server; some lock one another out until each has waited a second. */
  const inTurnForPlaces = inTurnByKeys();
  const stored = (document: Document): StoredRow => ({ key: document._id, row: rowIn(spec.key, document) });

  async function get(key: string, giveUpAt?: number): Promise<R | undefined> {
    const document = await persist(`get ${spec.name}`, async () => model().findById(key).lean(), giveUpAt);
    const row = document ? codec.fromStore(stored(document)) : undefined;
    return row && codec.isLive(row, toTimestamp(nowMs())) ? row : undefined;
  }

  async function readRows(plan: Plan<R>): Promise<PlacedRow[]> {
    const field = documentField(spec, plan.sortField);
    const direction = plan.descending ? -1 : 1;
    const sort = { [field]: direction, _id: direction } as Record<string, 1 | -1>;
    const filter = allOf(termsFilter(spec, plan.terms), afterFilter(spec, plan), liveFilter(spec, nowMs()));
    const documents = await persist(`find ${spec.name}`, async () =>
      model().find(filter).sort(sort).limit(plan.limit).lean(),
    );
    return documents.map((document) => ({ ...stored(document), place: (document[field] ?? null) as Scalar }));
  }

  return {
    spec,
    get: (key) => get(key),

    isCurrent: async (row) => {
      const at = { _id: codec.keyOf(row), [counterOf(spec)]: codec.countOf(row) };
      const filter = allOf(at, liveFilter(spec, nowMs()));
      return (await persist(`look at ${spec.name}`, async () => model().exists(filter))) !== null;
    },

    getMany: async (keys, { skipUnreadable = false } = {}) => {
      const rows: R[] = [];
      for (const batch of batches([...new Set(keys)])) {
        const filter = allOf({ _id: { $in: batch } }, liveFilter(spec, nowMs()));
        const documents = await persist(`get ${spec.name}`, async () => model().find(filter).lean());
        const found = documents.map(stored);
        rows.push(...(await codec.manyFromStore(found, skipUnreadable)));
      }
      return rows;
    },

    getField: async (keys, field) => {
      const values = new Map<string, string>();
      for (const batch of batches([...new Set(keys)])) {
        const filter = allOf({ _id: { $in: batch } }, liveFilter(spec, nowMs()));
        const documents = await persist(`get ${spec.name}`, async () =>
          model()
            .find(filter, { [documentField(spec, field)]: 1 })
            .lean(),
        );
        for (const document of documents) {
          const value = document[documentField(spec, field)];
          if (typeof value === 'string') values.set(document._id, value);
        }
      }
      return values;
    },

    find: async (query) => readPage(planFind(spec, shape, query), codec, readRows),

    count: async (where, { most } = {}) => {
      const filter = allOf(termsFilter(spec, planCount(spec, shape, where)), liveFilter(spec, nowMs()));
      const options = most === undefined ? {} : { limit: most };
      return persist(`count ${spec.name}`, async () => model().countDocuments(filter, options));
    },

    insert: async (row) => {
      const giveUpAt = performance.now() + timeoutMs;
      const next = codec.toInsert(row);
      return inTurnForPlaces(placesOf(spec, next), () => insertRow(target, next, giveUpAt));
    },

    insertMany: async (rows, { inOrder = false } = {}) => {
      let inserted = 0;
      for (const batch of batches(rows)) {
        const added = await insertRows(target, batch.map(codec.toInsert), inOrder);
        inserted += added;
        if (inOrder && added < batch.length) break;
      }
      return inserted;
    },

    replace: async (row, read) => {
      const before = spec.onChange === undefined ? row : (read ?? (await get(codec.keyOf(row))));
      if (!before || !Object.is(codec.countOf(before), codec.countOf(row))) return undefined;
      return replaceRow(target, codec.toReplace(before, row));
    },

    update: async (key, change) => {
      const giveUpAt = performance.now() + timeoutMs;
      return inTurn(key, async () => {
        for (let attempt = 0; performance.now() < giveUpAt; attempt++) {
          const row = await get(key, giveUpAt);
          if (!row) return undefined;
          const changed = change(row);
          if (!changed) return { row, changed: false };
          const next = codec.toReplace(row, changed);
          if (codec.keyOf(next) !== key) throw new Error(`an update of ${spec.name} may not change the key`);
          const stored = await replaceRow(target, next, giveUpAt);
          if (stored) return { row: stored, changed: true };
          await delay(Math.random() * Math.min(50, 2 ** attempt));
        }
        throw new StoreUnavailableError(`update ${spec.name}`, new Error('other writers always came first'));
      });
    },

    delete: async (key, count) => deleteRow(target, key, count),
  };
}

/** The rows as documents have them; see {@link RawRows}. */
export function createMongoRawRows<R extends Row>({ spec, codec, model, persist, nowMs }: MongoTarget<R>): RawRows {
  const rowOf = (document: Document) => rowIn(spec.key, document);
  const counter = counterOf(spec);
  /** Undefined for what is no expiry: then the one that the server knows of stays. */
  const rawExpiryOf = (row: Record<string, unknown>): string | null | undefined => {
    try {
      return codec.expiryOf(row as R);
    } catch {
      return undefined;
    }
  };
  return {
    page: async (after, limit) => {
      const filter = after === undefined ? {} : { _id: { $gt: after } };
      const documents = await persist(`page ${spec.name}`, async () =>
        model().find(filter).sort({ _id: 1 }).limit(limit).lean(),
      );
      return documents.map((document) => ({ key: document._id, row: rowOf(document) }));
    },
    get: async (key) => {
      const document = await persist(`get ${spec.name}`, async () => model().findById(key).lean());
      return document ? rowOf(document) : undefined;
    },
    // An answer that was lost reads as "somebody came first": who looks again finds the row as it was to become.
    replace: (key, row, next) =>
      persist(`replace ${spec.name}`, async () => {
        const from = rawCountOf(spec, row);
        const update = toRawUpdate(row, { ...next, [counter]: from + 1 }, rawExpiryOf(next));
        // A row from before there was this counter must still be without it.
        const unchanged = counter in row ? { [counter]: from } : { [counter]: null, revision: from };
        for (;;) {
          try {
            const filter = { _id: key, ...unchanged };
            const { matchedCount } = await model().collection.updateOne(filter as never, update as never);
            return matchedCount === 1;
          } catch (error) {
            if (!isDuplicateKey(error)) throw error;
          }
          const as = { ...next, [spec.key]: key } as unknown as R;
          const duplicate = await findDuplicate(model(), spec, as, { inserting: false, nowMs: nowMs() });
          if (duplicate !== undefined) throw new DuplicateError(spec.name, duplicate);
        }
      }),
    insertMany: (rows) =>
      persist(`insert ${spec.name}`, async () => {
        const documents = rows.map(({ key, row }) => {
          const expiry = rawExpiryOf(row);
          const hidden = typeof expiry === 'string' ? { _expires_at: new Date(expiry) } : {};
          return { ...row, ...hidden, _id: key, _writes: [newToken()] };
        });
        // Once more, when an answer was lost: what of them stands already is the same.
        await model().collection.deleteMany({ _id: { $in: rows.map(({ key }) => key) } } as never);
        if (documents.length > 0) await model().collection.insertMany(documents as never);
      }),
    clear: () =>
      persist(`clear ${spec.name}`, async () => {
        await model().collection.deleteMany({});
      }),
  };
}

function* batches<T>(items: readonly T[]): Generator<T[]> {
  for (let start = 0; start < items.length; start += BATCH) yield items.slice(start, start + BATCH);
}
