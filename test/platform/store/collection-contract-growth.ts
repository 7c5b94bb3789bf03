import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Collection, CollectionSpec, Row, Store } from '../../../src/platform/store/collection.ts';
import { UnreadableRowError } from '../../../src/platform/store/collection-rows.ts';
import { SetAsideRows } from '../../../src/platform/store/set-aside.ts';
import type { Bench } from './collection-contract.ts';

const Part = z.strictObject({ name: z.string() });
/** A note as one release knows it: strict, as our own rows are declared. */
const Note = z.strictObject({
  note_id: z.string(),
  revision: z.number(),
  due_at: z.string().nullable(),
  state: z.enum(['open', 'done']),
  parts: z.array(Part),
  by_name: z.record(z.string(), Part).optional(),
});
type Note = z.infer<typeof Note>;

/** The same note in the next release: more keys at every depth, one more state. */
const GrownPart = Part.extend({ size: z.number().default(7) });
const GrownNote = Note.extend({
  state: z.enum(['open', 'done', 'parked']),
  parts: z.array(GrownPart),
  by_name: z.record(z.string(), GrownPart).optional(),
  author: z.string().default('nobody'),
  seen_at: z.string().optional(),
});
type GrownNote = z.infer<typeof GrownNote>;

/** Stored rows may grow, and programs of neighbouring releases may share a store. */
export function growthContract({ fresh, open }: Bench): void {
  const declare = <R extends Row>(name: string, schema: z.ZodType<R>): CollectionSpec<R> => ({
    name,
    key: 'note_id' as keyof R & string,
    schema,
    indexes: [{ name: 'by_due', fields: ['due_at' as keyof R & string] }],
  });
  const openAs = async <R extends Row>(spec: CollectionSpec<R>): Promise<{ store: Store; notes: Collection<R> }> => {
    const { store } = await open();
    const notes = store.collection(spec);
    await store.prepare();
    return { store, notes };
  };
  const note = (fields: Partial<Note> = {}): Note => ({
    note_id: fresh(),
    revision: 1,
    due_at: '2026-01-01',
    state: 'open',
    parts: [{ name: 'a' }],
    ...fields,
  });
  const grown = (fields: Partial<GrownNote> = {}): GrownNote => ({
    ...note(),
    author: 'someone',
    seen_at: 'today',
    parts: [{ name: 'a', size: 9 }],
    by_name: { b: { name: 'b', size: 8 } },
    ...fields,
  });
  const dueNow = { where: { due_at: { lte: '2027' } }, sort: { field: 'due_at', direction: 'asc' } } as const;

  describe('a row with keys of a newer release', () => {
    it('[S6] keeps them, at every depth, when an older one changes it', async () => {
      const newer = await openAs(declare('notes_keys', GrownNote));
      const older = await openAs(declare('notes_keys', Note));
      const row = grown();
      await newer.notes.insert(row);

      await older.notes.update(row.note_id, (found) => ({ ...found, state: 'done' }));
      const read = await older.notes.get(row.note_id);
      if (read === undefined) throw new Error('the row is gone');
      await older.notes.replace({ ...read, due_at: null });

      expect(await newer.notes.get(row.note_id)).toEqual({ ...row, state: 'done', due_at: null, revision: 3 });
      expect((await older.notes.find({ where: { note_id: row.note_id } })).rows).toEqual([
        expect.objectContaining({ author: 'someone' }),
      ]);
    });

    it('[S6] of an older release has the defaults of what it lacks, and they are stored with the next change', async () => {
      const older = await openAs(declare('notes_defaults', Note));
      const newer = await openAs(declare('notes_defaults', GrownNote));
      const row = note();
      await older.notes.insert(row);
      const expected = { ...row, author: 'nobody', parts: [{ name: 'a', size: 7 }] };
      expect(await newer.notes.get(row.note_id)).toEqual(expected);
      await newer.notes.update(row.note_id, (found) => ({ ...found, state: 'done' }));
      expect(await older.notes.get(row.note_id)).toEqual({ ...expected, state: 'done', revision: 2 });
    });

    it('[S6] may have its parts copied into a new row, with all they have', async () => {
      const newer = await openAs(declare('notes_copied', GrownNote));
      const older = await openAs(declare('notes_copied', Note));
      const row = grown();
      await newer.notes.insert(row);
      const read = await older.notes.get(row.note_id);
      const copy = note({ parts: read?.parts ?? [] });
      await older.notes.insert(copy);
      expect((await newer.notes.get(copy.note_id))?.parts).toEqual(row.parts);
    });

    it('[S6] is not copied whole: a new row has no key that its own release does not know', async () => {
      const { notes } = await openAs(declare('notes_own', Note));
      const row = note();
      await notes.insert({ ...row, author: 'someone' } as Note);
      expect(await notes.get(row.note_id)).toEqual(row);
    });
  });

  describe('a row that cannot be read', () => {
    /** Two rows that an older release reads, behind `bad` ones that it cannot. */
    const openWithBad = async (name: string, bad: number) => {
      const newer = await openAs(declare(name, GrownNote));
      const older = await openAs(declare(name, Note));
      const unread = Array.from({ length: bad }, (_, n) => grown({ state: 'parked', due_at: `2026-01-0${n + 1}` }));
      const read = ['2026-02-01', '2026-02-02'].map((due_at) => note({ due_at }));
      await newer.notes.insertMany(unread);
      await older.notes.insertMany(read);
      const listed = async (store: Store) => {
        const { rows } = await store.collection(SetAsideRows).find({ where: {}, limit: 1000 });
        return rows.filter(({ collection_name }) => collection_name === name);
      };
      return { newer, older, unread, read, listed };
    };
    const ids = (rows: readonly { note_id: string }[]) => rows.map(({ note_id }) => note_id);

    it('[S6] fails neither a page nor a sweep, however many there are: pages are filled with the next', async () => {
      const { older, unread, read } = await openWithBad('notes_pages', 5);
      for (const direction of ['asc', 'desc'] as const) {
        const query = { ...dueNow, sort: { field: 'due_at', direction } as const, limit: 1 };
        const expected = direction === 'asc' ? ids(read) : ids(read).reverse();
        const first = await older.notes.find(query);
        expect(ids(first.rows)).toEqual([expected[0]]);
        const second = await older.notes.find({ ...query, ...(first.cursor !== undefined && { after: first.cursor }) });
        expect(ids(second.rows)).toEqual([expected[1]]);
        const end =
          second.cursor === undefined ? [] : (await older.notes.find({ ...query, after: second.cursor })).rows;
        expect(end).toEqual([]);
      }
      const all = await older.notes.find(dueNow);
      expect(all.skipped).toEqual(ids(unread));
      expect(await older.notes.find({ ...dueNow, where: { due_at: { gte: '2026-02-01' } } })).not.toHaveProperty(
        'skipped',
      );
      expect(await older.notes.count({ due_at: { lte: '2027' } })).toBe(unread.length + read.length);
    });

    it('[S6] is an error when it is read by its id, never one that is not there', async () => {
      const { older, unread, read } = await openWithBad('notes_by_id', 1);
      const [bad = '', good = ''] = [...ids(unread), ...ids(read)];
      await expect(older.notes.get(bad)).rejects.toThrow(UnreadableRowError);
      await expect(older.notes.update(bad, (row) => row)).rejects.toThrow(UnreadableRowError);
      await expect(older.notes.getMany([bad, good])).rejects.toThrow(UnreadableRowError);
      expect(ids(await older.notes.getMany([bad, good], { skipUnreadable: true }))).toEqual([good]);
      await expect(older.notes.insert(note({ note_id: bad }))).resolves.toEqual({ inserted: false, duplicate: 'key' });
    });

    it('[S6] is an error when it is asked for by all fields of a unique index, as by its id', async () => {
      const unique = <R extends Row>(spec: CollectionSpec<R>): CollectionSpec<R> => ({
        ...spec,
        indexes: spec.indexes.map((index) => ({ ...index, unique: true })),
      });
      const newer = await openAs(unique(declare('notes_unique', GrownNote)));
      const older = await openAs(unique(declare('notes_unique', Note)));
      await newer.notes.insert(grown({ state: 'parked', due_at: '2026-03-01' }));
      await expect(older.notes.find({ where: { due_at: '2026-03-01' } })).rejects.toThrow(UnreadableRowError);
      expect((await older.notes.find({ where: { due_at: { gte: '2026-03-01' } } })).rows).toEqual([]);
      expect((await older.notes.find({ where: { due_at: '2026-03-02' } })).rows).toEqual([]);
    });

    it('[S6] is listed with what does not fit, stays as it is, and is off the list when a start finds it readable', async () => {
      const { newer, older, unread, listed } = await openWithBad('notes_listed', 2);
      await older.notes.find(dueNow);
      await older.notes.find(dueNow);
      await older.store.close();

      const next = await openAs(declare('notes_listed', Note));
      const rows = await listed(next.store);
      expect(rows.map(({ key }) => key).sort()).toEqual(ids(unread).sort());
      expect(rows[0]?.problems).toEqual([expect.stringMatching(/^state: /)]);
      expect(JSON.stringify(rows)).not.toContain('parked');
      expect(await newer.notes.getMany(ids(unread))).toHaveLength(2);

      const again = await openAs(declare('notes_listed', GrownNote));
      expect(await listed(again.store)).toEqual([]);
      expect(ids((await again.notes.find(dueNow)).rows)).toEqual(expect.arrayContaining(ids(unread)));
    });
  });

  describe('a declaration', () => {
    it('[S6] of an index over a field with a default is refused: rows from before it would not be found', async () => {
      const { store } = await open();
      const spec = declare('notes_default_index', GrownNote);
      const wrong = { ...spec, indexes: [{ name: 'by_author', fields: ['author' as const] }] };
      expect(() => store.collection(wrong)).toThrow('author, which has a default');
    });
  });
}
