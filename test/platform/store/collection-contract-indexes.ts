import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { CollectionSpec } from '../../../src/platform/store/collection.ts';
import type { Bench } from './collection-contract.ts';

const Note = z.object({ note_id: z.string(), revision: z.number(), topic: z.string(), pages: z.number().nullable() });
type Note = z.infer<typeof Note>;

/** Several at once making one index is where a server may lose an answer; the store then asks again, after 20 s. */
const OUTWAITS_A_LOST_ANSWER_MS = 90_000;

export function indexContract({ fresh, open }: Bench): void {
  const spec = (name: string, indexes: CollectionSpec<Note>['indexes']): CollectionSpec<Note> => ({
    name,
    key: 'note_id',
    schema: Note,
    indexes,
  });
  const note = (topic: string): Note => ({ note_id: fresh(), revision: 1, topic, pages: null });
  const openNotes = async (name: string, indexes: CollectionSpec<Note>['indexes']) => {
    const { store } = await open();
    const notes = store.collection(spec(name, indexes));
    await store.prepare();
    return notes;
  };

  describe('an index', () => {
    it('that is new to a store covers the rows that are there', async () => {
      const before = await openNotes('notes_new', []);
      await before.insert(note('one'));
      const notes = await openNotes('notes_new', [{ name: 'topic', fields: ['topic'], unique: true }]);
      expect((await notes.find({ where: { topic: 'one' } })).rows).toHaveLength(1);
      expect(await notes.insert(note('one'))).toEqual({ inserted: false, duplicate: 'topic' });
    });

    it('that is declared otherwise than before is made anew', async () => {
      await openNotes('notes_changed', [{ name: 'topic', fields: ['topic'], unique: true }]);
      const notes = await openNotes('notes_changed', [{ name: 'topic', fields: ['topic'] }]);
      expect(await notes.insert(note('same'))).toEqual({ inserted: true });
      expect(await notes.insert(note('same'))).toEqual({ inserted: true });
    });

    it('may have a new name', async () => {
      await openNotes('notes_renamed', [{ name: 'topic', fields: ['topic'], unique: true }]);
      const notes = await openNotes('notes_renamed', [{ name: 'by_topic', fields: ['topic'], unique: true }]);
      await notes.insert(note('same'));
      expect(await notes.insert(note('same'))).toEqual({ inserted: false, duplicate: 'by_topic' });
    });

    it(
      'is made once when many processes prepare the store at once',
      async () => {
        const indexes = [{ name: 'topic', fields: ['topic'], unique: true }] as const;
        const all = await Promise.all(Array.from({ length: 5 }, () => openNotes('notes_together', indexes)));
        const outcomes = await Promise.all(all.map((notes) => notes.insert(note('same'))));
        expect(outcomes.filter((outcome) => outcome.inserted)).toHaveLength(1);
      },
      OUTWAITS_A_LOST_ANSWER_MS,
    );
  });

  describe('a declaration', () => {
    it.each<[string, Partial<CollectionSpec<Note>>]>([
      ['an unknown key', { key: 'id' as never }],
      ['an unknown indexed field', { indexes: [{ name: 'x', fields: ['title' as never] }] }],
      ['an index of nothing', { indexes: [{ name: 'x', fields: [] }] }],
      [
        'an unknown field in a partial index',
        { indexes: [{ name: 'x', fields: ['topic'], where: { title: 1 } as never }] },
      ],
      ['an unknown expiry', { expires: 'until' as never }],
      ['a name with a quote', { name: 'no"tes' }],
      ['a unique number that may be null', { indexes: [{ name: 'x', fields: ['pages'], unique: true }] }],
      ['a schema that lets any field in', { schema: z.looseObject(Note.shape) }],
      ['a schema of no object', { schema: z.string() as never }],
    ])('with %s is refused', async (_, wrong) => {
      const { store } = await open();
      expect(() => store.collection({ ...spec('notes_wrong', []), ...wrong })).toThrow();
    });
  });
}
