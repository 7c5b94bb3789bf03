import { setTimeout as delay } from 'node:timers/promises';
import { toTimestamp } from './clock.ts';
import { StoreUnavailableError } from './collection.ts';
import type { Collection, Row } from './collection.ts';
import { planCount, planFind } from './collection-query.ts';
import { inTurnByKey } from './in-turn.ts';
import { fromDocument } from './mongo-documents.ts';
import { afterFilter, allOf, liveFilter, termsFilter } from './mongo-filter.ts';
import { documentField } from './mongo-model.ts';
import { deleteRow, insertRow, insertRows, replaceRow } from './mongo-writes.ts';
import type { MongoTarget } from './mongo-writes.ts';

/** Documents in one round trip. */
const BATCH = 1000;

export function createMongoCollection<R extends Row>(target: MongoTarget<R>): Collection<R> {
  const { spec, shape, codec, model, persist, nowMs, patienceMs } = target;
  const inTurn = inTurnByKey();

  async function get(key: string, giveUpAt?: number): Promise<R | undefined> {
    const document = await persist(`get ${spec.name}`, async () => model().findById(key).lean(), giveUpAt);
    const row = document ? fromDocument(codec, document) : undefined;
    return row && codec.isLive(row, toTimestamp(nowMs())) ? row : undefined;
  }

  return {
    spec,
    get: (key) => get(key),

    getMany: async (keys) => {
      const rows: R[] = [];
      for (const batch of batches([...new Set(keys)])) {
        const filter = allOf({ _id: { $in: batch } }, liveFilter(spec, nowMs()));
        const documents = await persist(`get ${spec.name}`, async () => model().find(filter).lean());
        for (const document of documents) rows.push(fromDocument(codec, document));
      }
      return rows;
    },

    find: async (query) => {
      const plan = planFind(spec, shape, query);
      const filter = allOf(termsFilter(spec, plan.terms), afterFilter(spec, plan), liveFilter(spec, nowMs()));
      const direction = plan.descending ? -1 : 1;
      const sort = { [documentField(spec, plan.sortField)]: direction, _id: direction } as Record<string, 1 | -1>;
      const documents = await persist(`find ${spec.name}`, async () =>
        model()
          .find(filter)
          .sort(sort)
          .limit(plan.limit + 1)
          .lean(),
      );
      const rows = documents.slice(0, plan.limit).map((document) => fromDocument(codec, document));
      const last = documents.length > plan.limit ? rows.at(-1) : undefined;
      return last ? { rows, cursor: plan.cursorAfter(last) } : { rows };
    },

    count: async (where) => {
      const filter = allOf(termsFilter(spec, planCount(spec, shape, where)), liveFilter(spec, nowMs()));
      return persist(`count ${spec.name}`, async () => model().countDocuments(filter));
    },

    insert: async (row) => insertRow(target, codec.toStore(row, 1)),

    insertMany: async (rows) => {
      let inserted = 0;
      for (const batch of batches(rows))
        inserted += await insertRows(target, batch.map((row) => codec.toStore(row, 1))); // prettier-ignore
      return inserted;
    },

    replace: async (row) => replaceRow(target, codec.toStore(row, row.revision + 1)),

    update: async (key, change) => {
      const giveUpAt = performance.now() + patienceMs;
      return inTurn(key, async () => {
        for (let attempt = 0; performance.now() < giveUpAt; attempt++) {
          const row = await get(key, giveUpAt);
          if (!row) return undefined;
          const { revision } = row;
          const changed = change(row);
          if (!changed) return { row, changed: false };
          const next = codec.toStore(changed, revision + 1);
          if (codec.keyOf(next) !== key) throw new Error(`an update of ${spec.name} may not change the key`);
          const stored = await replaceRow(target, next, giveUpAt);
          if (stored) return { row: stored, changed: true };
          await delay(Math.random() * Math.min(50, 2 ** attempt));
        }
        throw new StoreUnavailableError(`update ${spec.name}`, new Error('other writers always came first'));
      });
    },

    delete: async (key, revision) => deleteRow(target, key, revision),
  };
}

function* batches<T>(items: readonly T[]): Generator<T[]> {
  for (let start = 0; start < items.length; start += BATCH) yield items.slice(start, start + BATCH);
}
