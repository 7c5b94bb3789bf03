import type { Model } from 'mongoose';
import { mongo } from 'mongoose';
import { DuplicateError, StoreUnavailableError } from '../collection.ts';
import type { CollectionSpec, InsertResult, Row } from '../collection.ts';
import { counterOf, rawCountOf } from '../collection-rows.ts';
import type { RowCodec } from '../collection-rows.ts';
import type { RowShape } from '../collection-spec.ts';
import { hasWrite, newToken, toDocument, toUpdate } from './mongo-documents.ts';
import { findDuplicate } from './mongo-duplicates.ts';
import { liveFilter } from './mongo-filter.ts';
import type { Document } from './mongo-model.ts';
import { isDuplicateKey } from './mongo-persistence.ts';
import type { Persist } from './mongo-persistence.ts';

export interface MongoTarget<R extends Row> {
  spec: CollectionSpec<R>;
  shape: RowShape;
  codec: RowCodec<R>;
  model: () => Model<Document>;
  persist: Persist;
  nowMs: () => number;
  timeoutMs: number;
}

/** Inserts a row, counted 1. */
export function insertRow<R extends Row>(target: MongoTarget<R>, row: R, giveUpAt?: number): Promise<InsertResult> {
  const { spec, codec, model, persist, nowMs } = target;
  const token = newToken();
  const document = toDocument(codec, row, token);
  const what = `insert ${spec.name}`;
  const attempt = async (doubtful: boolean): Promise<InsertResult> => {
    for (;;) {
      try {
        await model().collection.insertOne(document as never);
        return { inserted: true };
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
      if (doubtful && (await isOwn(target, document._id, token, 1, what))) return { inserted: true };
      const duplicate = await findDuplicate(model(), spec, row, { inserting: true, nowMs: nowMs() });
      if (duplicate !== undefined) return { inserted: false, duplicate };
    }
  };
  return persist(what, attempt, giveUpAt);
}

/** Inserts rows, counted 1, all in one round trip; answers how many went in. */
export async function insertRows<R extends Row>(
  target: MongoTarget<R>,
  rows: readonly R[],
  inOrder: boolean,
): Promise<number> {
  const { spec, codec, model, persist, nowMs } = target;
  const token = newToken();
  const documents = rows.map((row) => toDocument(codec, row, token));
  const refused: R[] = [];
  const inserted = await persist(`insert ${spec.name}`, async (doubtful) => {
    const result = await insertDocuments(model(), documents, inOrder);
    refused.splice(0, Infinity, ...rows.filter((_, at) => result.refused.has(at)));
    if (!doubtful) return result.inserted;
    const own = { _id: { $in: documents.map(({ _id }) => _id) }, _writes: token };
    return model().countDocuments(own);
  });
  if (spec.expires === undefined || refused.length === 0 || inOrder) return inserted;
  // What refused them may have expired. Where a live row has the key it has not; the others are tried one by one.
  const keys = refused.map((row) => codec.keyOf(row));
  const live = await persist(`get ${spec.name}`, async () =>
    model()
      .find({ _id: { $in: keys }, ...liveFilter(spec, nowMs()) }, { _id: 1 })
      .lean(),
  );
  const taken = new Set(live.map(({ _id }) => _id));
  const open = refused.filter((row) => !taken.has(codec.keyOf(row)));
  const outcomes = await Promise.all(open.map((row) => insertRow(target, row)));
  return inserted + outcomes.filter((outcome) => outcome.inserted).length;
}

async function insertDocuments(
  model: Model<Document>,
  documents: readonly Document[],
  ordered: boolean,
): Promise<{ inserted: number; refused: Set<number> }> {
  try {
    const { insertedCount } = await model.collection.insertMany([...documents] as never[], { ordered });
    return { inserted: insertedCount, refused: new Set() };
  } catch (error) {
    if (!(error instanceof mongo.MongoBulkWriteError)) throw error;
    const errors = [error.writeErrors].flat();
    if (errors.length === 0 || errors.some(({ code }) => code !== 11000)) throw error;
    return { inserted: error.insertedCount, refused: new Set(errors.map(({ index }) => index)) };
  }
}

/** Stores a row over the one that was written once less. */
export function replaceRow<R extends Row>(target: MongoTarget<R>, row: R, giveUpAt?: number): Promise<R | undefined> {
  const { spec, shape, codec, model, persist, nowMs } = target;
  const token = newToken();
  const key = codec.keyOf(row);
  const count = codec.countOf(row);
  const update = toUpdate(spec, shape, codec, row, token);
  const what = `replace ${spec.name}`;
  const attempt = async (doubtful: boolean): Promise<R | undefined> => {
    for (;;) {
      const filter = { _id: key, [counterOf(spec)]: count - 1, ...liveFilter(spec, nowMs()) };
      try {
        const { matchedCount } = await model().collection.updateOne(filter as never, update as never);
        if (matchedCount === 1) return row;
        return doubtful && (await isOwn(target, key, token, count, what)) ? row : undefined;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
      const duplicate = await findDuplicate(model(), spec, row, { inserting: false, nowMs: nowMs() });
      if (duplicate !== undefined) throw new DuplicateError(spec.name, duplicate);
    }
  };
  return persist(what, attempt, giveUpAt);
}

/** Deletes a row, of this counter when one is given. */
export function deleteRow<R extends Row>(target: MongoTarget<R>, key: string, count?: number): Promise<boolean> {
  const { spec, model, persist, nowMs } = target;
  return persist(`delete ${spec.name}`, async (doubtful) => {
    const only = count === undefined ? {} : { [counterOf(spec)]: count };
    const filter = { _id: key, ...only, ...liveFilter(spec, nowMs()) };
    const { deletedCount } = await model().collection.deleteOne(filter as never);
    if (deletedCount === 1 || !doubtful) return deletedCount === 1;
    return (await model().exists({ _id: key })) === null;
  });
}

/** Whether the write with this token happened. @throws {StoreUnavailableError} when that cannot be told any more. */
async function isOwn<R extends Row>(
  { spec, model }: MongoTarget<R>,
  key: string,
  token: string,
  nth: number,
  what: string,
): Promise<boolean> {
  const document = await model()
    .findById(key, { [counterOf(spec)]: 1, _writes: 1 })
    .lean();
  const own = document ? hasWrite(document, rawCountOf(spec, document), token, nth) : false;
  if (own === undefined) throw new StoreUnavailableError(what, new Error('too many writes since to tell'));
  return own;
}
