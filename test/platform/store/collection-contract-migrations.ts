import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Collection, CollectionSpec, Migration, Row } from '../../../src/platform/store/collection.ts';
import { UnreadableRowError } from '../../../src/platform/store/collection-rows.ts';
import { LeaseRows } from '../../../src/platform/store/lease.ts';
import { SchemaVersions } from '../../../src/platform/store/schema-version.ts';
import { SetAsideRows } from '../../../src/platform/store/set-aside.ts';
import { toTimestamp } from '../../../src/platform/clock.ts';
import { until } from '../../support/until.ts';
import type { Bench } from './collection-contract.ts';

/** Version 1: one text. Version 2: the same in a list. An older reader cannot bear that, so it ships in two releases. */
const One = z.strictObject({ memo_id: z.string(), revision: z.number(), text: z.string() });
const Two = z.strictObject({ memo_id: z.string(), revision: z.number(), texts: z.array(z.string()) });
type One = z.infer<typeof One>;
type Two = z.infer<typeof Two>;
const Both = z.union([One, Two]);
type Both = z.infer<typeof Both>;

const toTwo: Migration = {
  to: 2,
  what: 'a text becomes a list',
  migrate: ({ text, ...row }) => (text === undefined ? undefined : { ...row, texts: [text] }),
};

const HOUR = 3_600_000;

/** Memos of which no two have the same label. The expiry may be anything: it is not checked here. */
const LabelledMemo = z.object({
  memo_id: z.string(),
  revision: z.number(),
  label: z.string(),
  expires_at: z.unknown(),
});
const Labelled: CollectionSpec<z.infer<typeof LabelledMemo>> = {
  name: 'memos',
  key: 'memo_id',
  schema: LabelledMemo,
  indexes: [{ name: 'label', fields: ['label'], unique: true }],
};

/** What no store can hold: a process that would write it goes no further. */
const endless: { self?: unknown } = {};
endless.self = endless;

/** The four releases, one after the other, of a collection of this name. */
function releases(name: string) {
  const shared = { name, key: 'memo_id', indexes: [] } as const;
  const before: CollectionSpec<One> = { ...shared, schema: One };
  const readsBoth: CollectionSpec<Both> = { ...shared, schema: Both, reads: 2 };
  const writesNew: CollectionSpec<Both> = { ...shared, schema: Both, version: 2, migrations: [toTwo] };
  const after: CollectionSpec<Two> = { ...shared, schema: Two, version: 2, migrations: [toTwo] };
  return { before, readsBoth, writesNew, after };
}

/** Forms that an older reader cannot bear: versions, migrations, and programs of neighbouring releases on one store. */
export function migrationContract({ fresh, open }: Bench): void {
  const openAs = async <R extends Row>(spec: CollectionSpec<R>): Promise<Collection<R>> => {
    const { store } = await open();
    const memos = store.collection(spec);
    await store.prepare();
    return memos;
  };
  const recordOf = async (name: string) => {
    const { store } = await open();
    return store.collection(SchemaVersions).get(name);
  };
  const versionOf = async (name: string) => (await recordOf(name))?.schema_version;
  const one = (text: string): One => ({ memo_id: fresh(), revision: 1, text });
  const two = (text: string): Two => ({ memo_id: fresh(), revision: 1, texts: [text] });
  /** What a memo says, whatever its form. */
  const said = (memo: Both | undefined) => (memo && 'texts' in memo ? memo.texts.join() : memo?.text);

  describe('a schema version', () => {
    it('[S6] that is newer than the program keeps it from starting, with a sentence, and nothing is changed', async () => {
      const { before, writesNew } = releases('memos_newer');
      await openAs(writesNew);
      await expect(openAs({ ...before, indexes: [{ name: 'by_text', fields: ['text'] }] })).rejects.toThrow(
        'the store was used by a newer release: memos_newer has schema version 2, and this program reads up to 1; start the newer release again',
      );
      expect(await versionOf('memos_newer')).toBe(2);
    });

    it.each<[string, Partial<CollectionSpec<Both>>]>([
      ['without its migration', { version: 2 }],
      ['with a migration missing', { version: 3, migrations: [{ ...toTwo, to: 3 }] }],
      ['with a migration that leads on', { version: 1, migrations: [toTwo] }],
      ['that it cannot read', { version: 2, reads: 1, migrations: [toTwo] }],
    ])('[S6] %s is refused', async (_, wrong) => {
      const { store } = await open();
      expect(() => store.collection({ ...releases('memos_wrong').readsBoth, ...wrong })).toThrow('memos_wrong');
    });
  });

  describe('a migration', () => {
    it('[S6] brings every row forward once, of many processes that start at once', async () => {
      const { before, after } = releases('memos_together');
      const old = await openAs(before);
      const rows = Array.from({ length: 450 }, (_, n) => one(`text ${n}`));
      await old.insertMany(rows);
      const started = await Promise.all(Array.from({ length: 4 }, () => openAs(after)));
      for (const memos of started) {
        const found = await memos.getMany(rows.map(({ memo_id }) => memo_id));
        expect(found.map(({ texts }) => texts.join()).sort()).toEqual(rows.map(({ text }) => text).sort());
        expect(found.every(({ revision }) => revision === 2)).toBe(true);
      }
      expect(await versionOf('memos_together')).toBe(2);
    });

    it('[S6] that dies at any row lets no older program start, and is done to its end by the next newer one', async () => {
      const { before, readsBoth, after } = releases('memos_dying');
      const old = await openAs(before);
      const rows = Array.from({ length: 4 }, (_, n) => one(`text ${n}`));
      await old.insertMany(rows);
      for (let survived = 0; survived < rows.length; survived++) {
        let n = 0;
        const migrate: Migration['migrate'] = (row) => {
          const next = toTwo.migrate(row);
          return n++ === survived && next ? { ...next, texts: [endless] } : next;
        };
        await expect(openAs({ ...after, migrations: [{ ...toTwo, migrate }] })).rejects.toThrow();
        expect(await recordOf('memos_dying')).toMatchObject({ schema_version: 1, migrating_to: 2 });
        await expect(openAs(before)).rejects.toThrow(
          'memos_dying was left in the midst of a migration to schema version 2, and this program writes version 1; start the newer release again',
        );
      }
      // One that reads both forms may go on.
      const halfWay = await (await openAs(readsBoth)).getMany(rows.map(({ memo_id }) => memo_id));
      expect(halfWay.map(said).sort()).toEqual(rows.map(({ text }) => text));
      const found = await (await openAs(after)).getMany(rows.map(({ memo_id }) => memo_id));
      expect(found.map(({ texts }) => texts.join()).sort()).toEqual(rows.map(({ text }) => text));
      const record = await recordOf('memos_dying');
      expect(record).toMatchObject({ schema_version: 2 });
      expect(record).not.toHaveProperty('migrating_to');
    });

    it('[S6] that a newer program began is not begun again to a version in between, though its rows could be read', async () => {
      const { before, after } = releases('memos_between');
      const old = await openAs(before);
      const memo = one('first');
      await old.insert(memo);
      const toThree: Migration = { to: 3, what: 'dies', migrate: (row) => ({ ...row, texts: [endless] }) };
      await expect(openAs({ ...after, version: 3, migrations: [toTwo, toThree] })).rejects.toThrow();
      await expect(openAs({ ...after, reads: 3 })).rejects.toThrow('writes version 2; start the newer release again');
      const last = await openAs({ ...after, version: 3, migrations: [toTwo, { ...toTwo, to: 3 }] });
      expect(await last.get(memo.memo_id)).toMatchObject({ texts: ['first'] });
    });
  });

  describe('a store that is closed', () => {
    it('[S6] waits for no migration of another process, and leaves all as it was', async () => {
      const { before, after } = releases('memos_closing');
      const memo = one('first');
      await (await openAs(before)).insert(memo);
      const now = Date.now();
      // A time at which the other, who is not heard of any more, is always believed to be at work.
      const { store } = await open({ clock: { now: () => now } });
      const held = {
        name: 'migrate memos_closing',
        holder: 'another',
        held_until: toTimestamp(now + 1000),
        revision: 1,
      };
      await store.collection(LeaseRows).insert(held);
      store.collection(after);
      const preparing = store.prepare();
      await Promise.all([expect(preparing).rejects.toThrow('the store is closed'), store.close()]);
      expect(await recordOf('memos_closing')).toEqual({
        collection_name: 'memos_closing',
        schema_version: 1,
        revision: 1,
      });
      const { store: other } = await open();
      expect(await other.collection(LeaseRows).get(held.name)).toEqual(held);
    });
  });

  describe('a row that a migration cannot bring forward', () => {
    it('[S6] keeps nobody from starting: it stays as it is, is set aside, and the others go on', async () => {
      const { before, after } = releases('memos_stuck');
      const old = await openAs(before);
      const [stuck, fine] = [one('stuck'), one('fine')];
      await old.insertMany([stuck, fine]);
      const migrate: Migration['migrate'] = (row) => {
        if (row['text'] === 'stuck') throw new TypeError('no list can be made of stuck');
        return toTwo.migrate(row);
      };
      const { store } = await open();
      const memos = store.collection({ ...after, migrations: [{ ...toTwo, migrate }] });
      await store.prepare();
      expect(await memos.get(fine.memo_id)).toMatchObject({ texts: ['fine'] });
      await expect(memos.get(stuck.memo_id)).rejects.toThrow(UnreadableRowError);
      expect(await old.get(stuck.memo_id)).toEqual(stuck);
      expect(await versionOf('memos_stuck')).toBe(2);
      const listed = await until(async () => {
        const { rows } = await store.collection(SetAsideRows).find({ where: {}, limit: 1000 });
        return rows.find(({ key }) => key === stuck.memo_id);
      });
      expect(listed.problems.join()).not.toContain('no list');
    });
  });

  describe('a migration to values of a unique index', () => {
    it('[S6] makes way of rows past their expiry, and sets aside what another row keeps out', async () => {
      const start = Date.now();
      const [soon, later] = [toTimestamp(start + HOUR), toTimestamp(start + 2 * HOUR)];
      const name = 'memos_unique';
      const old = (await open({ clock: { now: () => start } })).store;
      const memos = old.collection({ ...Labelled, name, expires: 'expires_at' });
      const labelled = (memo_id: string, label: string, expires_at: unknown = later) => ({
        ...{ memo_id, label, expires_at },
        revision: 1,
      });
      await old.prepare();
      await memos.insertMany([labelled('1', 'X'), labelled('2', 'x', soon), labelled('3', 'Y'), labelled('4', 'y')]);
      const spoiling = (await open()).store;
      const all = spoiling.collection({ ...Labelled, name });
      await spoiling.prepare();
      await all.insert(labelled('5', 'Z', 5));
      const { store } = await open({ clock: { now: () => start + HOUR } });
      const small: Migration = {
        to: 2,
        what: 'labels in small letters',
        migrate: ({ label, ...row }) => ({ ...row, label: String(label).toLowerCase() }),
      };
      const schema = LabelledMemo.extend({ label: z.string().lowercase() });
      const next = { version: 2, migrations: [small] };
      const migrated = store.collection({ ...Labelled, name, schema, expires: 'expires_at', ...next });
      await store.prepare();
      const labels = new Map((await all.find({ where: {} })).rows.map(({ memo_id, label }) => [memo_id, label]));
      expect([...labels].filter(([memo_id]) => memo_id !== '2')).toEqual([
        ['1', 'x'],
        ['3', 'Y'],
        ['4', 'y'],
        ['5', 'z'],
      ]);
      const listed = await until(async () => {
        const { rows } = await store.collection(SetAsideRows).find({ where: {}, limit: 1000 });
        return rows.find(({ collection_name, key }) => collection_name === name && key === '3');
      });
      expect(listed.problems.join()).toContain('same label exists');
      expect(await migrated.get('1')).toMatchObject({ label: 'x' });
    });
  });

  describe('programs of neighbouring releases', () => {
    it('[S6] share a store while one takes the place of the other, and go back by one', async () => {
      const { before, readsBoth, writesNew, after } = releases('memos_rolling');
      const first = await openAs(before);
      const memo = one('first');
      await first.insert(memo);

      // n beside the release before it.
      const n = await openAs(readsBoth);
      const ofN = one('of n');
      await n.insert(ofN);
      expect(said(await first.get(ofN.memo_id))).toBe('of n');

      // n + 1 beside n, each reading what the other writes.
      const next = await openAs(writesNew);
      expect(await next.get(memo.memo_id)).toMatchObject({ texts: ['first'] });
      const [late, ofNext] = [one('late, of n'), two('of n + 1')];
      await n.insert(late);
      await next.insert(ofNext);
      expect(said(await next.get(late.memo_id))).toBe('late, of n');
      expect(said(await n.get(ofNext.memo_id))).toBe('of n + 1');
      await n.update(ofNext.memo_id, (row) => ({ ...row, texts: ['changed by n'] }));
      expect(said(await next.get(ofNext.memo_id))).toBe('changed by n');

      // Back to n, which starts on what n + 1 has left; and forward again.
      const back = await openAs(readsBoth);
      expect(said(await back.get(ofNext.memo_id))).toBe('changed by n');
      const again = await openAs(writesNew);
      expect(said(await again.get(late.memo_id))).toBe('late, of n');

      // The release after, which reads the new form only, brings forward what n wrote late: by a version of its own.
      const last = await openAs({ ...after, version: 3, migrations: [toTwo, { ...toTwo, to: 3 }] });
      expect(await last.get(late.memo_id)).toMatchObject({ texts: ['late, of n'] });
      await expect(openAs(readsBoth)).rejects.toThrow('reads up to 2');
    });

    it('[S6] leave an index of the other where it is', async () => {
      const { before } = releases('memos_indexed');
      const indexed: CollectionSpec<One> = { ...before, indexes: [{ name: 'text', fields: ['text'], unique: true }] };
      const newer = await openAs(indexed);
      const older = await openAs(before);
      await older.insert(one('same'));
      expect(await newer.insert(one('same'))).toEqual({ inserted: false, duplicate: 'text' });
      expect((await newer.find({ where: { text: 'same' } })).rows).toHaveLength(1);
    });
  });
}
