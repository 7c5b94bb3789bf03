import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Collection, CollectionSpec, Store } from '../../../src/platform/store/collection.ts';
import { keptAnswers } from '../../../src/platform/store/kept-answers.ts';
import { ALWAYS } from '../../../src/platform/time-span.ts';
import { openTarget } from '../support/thing.ts';

const Note = z.object({ note_id: z.string(), topic: z.string(), text: z.string(), revision: z.number().int() });
type Note = z.infer<typeof Note>;
const notes: CollectionSpec<Note> = {
  ...{ name: 'notes', key: 'note_id', schema: Note, tells: ['topic'] },
  indexes: [
    { name: 'topic', fields: ['topic'] },
    { name: 'text', fields: ['text'] },
  ],
};
const { tells: _, ...silent } = { ...notes, name: 'silent_notes' };

describe('answers that are kept', () => {
  let dir = '';
  let store: Store;
  /** Another process. */
  let other: Store;
  const open = async (): Promise<Store> => {
    const opened = openTarget(join(dir, 'store.db'));
    for (const spec of [notes, silent]) opened.collection(spec);
    await opened.prepare();
    return opened;
  };
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'kept-'));
    store = await open();
    other = await open();
  });
  afterAll(async () => {
    await store.close();
    await other.close();
    await rm(dir, { recursive: true, force: true });
  });

  const note = (given: Partial<Note>): Note => ({
    ...{ note_id: randomUUID(), topic: randomUUID(), text: 'x', revision: 1 },
    ...given,
  });
  /** Asks twice, with something in between; answers how often it was made. */
  async function timesMade(
    read: (rows: Collection<Note>) => Promise<unknown>,
    between: (rows: Collection<Note>) => Promise<unknown> = () => Promise.resolve(),
    spec: CollectionSpec<Note> = notes,
  ): Promise<number> {
    const kept = keptAnswers(store);
    let made = 0;
    const ask = () =>
      kept.answer('it', 0, async (noted) => {
        made++;
        return { text: JSON.stringify((await read(noted.collection(spec))) ?? null), within: ALWAYS };
      });
    await ask();
    await between(other.collection(spec));
    const text = String(await ask());
    expect(text).toBe(JSON.stringify((await read(store.collection(spec))) ?? null));
    return made;
  }

  it('are made once while nothing is written, and while what is written has nothing to do with them', async () => {
    const { topic } = note({});
    const read = (rows: Collection<Note>) => rows.find({ where: { topic } });
    expect(await timesMade(read)).toBe(1);
    expect(await timesMade(read, (rows) => rows.insert(note({})))).toBe(1);
  });

  it.each<[string, (row: Note) => (rows: Collection<Note>) => Promise<unknown>]>([
    [
      'get',
      ({ note_id }) =>
        (rows) =>
          rows.get(note_id),
    ],
    [
      'getMany',
      ({ note_id }) =>
        (rows) =>
          rows.getMany(['another', note_id]),
    ],
    [
      'getField',
      ({ note_id }) =>
        async (rows) => [...(await rows.getField([note_id], 'text'))],
    ],
    ['isCurrent', (row) => (rows) => rows.isCurrent(row)],
    [
      'find of a value',
      ({ topic }) =>
        (rows) =>
          rows.find({ where: { topic } }),
    ],
    [
      'find of some',
      ({ topic }) =>
        (rows) =>
          rows.find({ where: { topic: { in: ['another', topic] } } }),
    ],
    [
      'count',
      ({ topic }) =>
        (rows) =>
          rows.count({ topic }),
    ],
  ])(
    'are made anew once another process has inserted, changed or deleted what a %s asked for',
    async (_name, readOf) => {
      const row = note({});
      const read = readOf(row);
      expect(await timesMade(read, (rows) => rows.insert(row))).toBe(2);
      expect(await timesMade(read, (rows) => rows.update(row.note_id, (was) => ({ ...was, text: 'y' })))).toBe(2);
      expect(await timesMade(read, (rows) => rows.update(row.note_id, (was) => ({ ...was, topic: 'gone' })))).toBe(2);
      expect(await timesMade(read, (rows) => rows.update(row.note_id, (was) => ({ ...was, topic: row.topic })))).toBe(
        2,
      );
      expect(await timesMade(read, (rows) => rows.delete(row.note_id))).toBe(2);
      // With another content under the key and counter that it had.
      await other.collection(notes).insert(row);
      const again = async (rows: Collection<Note>) => {
        await rows.delete(row.note_id);
        return rows.insert({ ...row, text: 'z' });
      };
      expect(await timesMade(read, again)).toBe(2);
    },
  );

  it('are none of what nobody tells: other conditions, other collections, and what writes', async () => {
    expect(await timesMade((rows) => rows.find({ where: { text: 'x' } }))).toBe(2);
    expect(await timesMade((rows) => rows.find({ where: { topic: { gt: 'a' }, text: 'x' } }))).toBe(2);
    expect(await timesMade((rows) => rows.get('one'), undefined, silent as CollectionSpec<Note>)).toBe(2);
    expect(await timesMade(async (rows) => (await rows.insert(note({}))).inserted)).toBe(2);
  });

  it('are none where something was written while they were made, at any point, seen or not', async () => {
    const { topic } = note({});
    for (const at of ['before', 'between', 'after'] as const) {
      const kept = keptAnswers(store);
      let made = 0;
      const write = async (when: string) => {
        if (when === at && made === 1) await other.collection(notes).insert(note({ topic }));
        // Another look-up hears of it meanwhile.
        await kept.answer(`another ${made} ${when}`, 0, () => Promise.resolve({ text: '', within: ALWAYS }));
      };
      const ask = () =>
        kept.answer('it', 0, async (noted) => {
          made++;
          await write('before');
          const first = await noted.collection(notes).count({ topic });
          await write('between');
          const second = await noted.collection(notes).count({ topic });
          await write('after');
          return { text: JSON.stringify([first, second]), within: ALWAYS };
        });
      await ask();
      const present = await store.collection(notes).count({ topic });
      expect(String(await ask())).toBe(JSON.stringify([present, present]));
      expect(String(await ask())).toBe(JSON.stringify([present, present]));
      expect(made).toBe(at === 'before' ? 1 : 2);
    }
  });

  it('are right for many that ask at once from the beginning on, beside another process that writes', async () => {
    const { topic } = note({});
    for (let round = 0; round < 20; round++) {
      const kept = keptAnswers(store);
      const ask = async () => {
        const atLeast = await store.collection(notes).count({ topic });
        const text = await kept.answer('count', 0, async (noted) => ({
          text: String(await noted.collection(notes).count({ topic })),
          within: ALWAYS,
        }));
        expect(Number(String(text))).toBeGreaterThanOrEqual(atLeast);
      };
      const write = () => other.collection(notes).insert(note({ topic }));
      await Promise.all([ask(), ask(), write(), ask(), write().then(ask), write().then(ask), ask()]);
      await ask();
    }
  });

  it('are those of their time alone', async () => {
    const kept = keptAnswers(store);
    let made = 0;
    const ask = (nowMs: number) =>
      kept.answer('it', nowMs, () => {
        made++;
        return Promise.resolve({ text: String(nowMs), within: { fromMs: 10, untilMs: 20 } });
      });
    expect(String(await ask(10))).toBe('10');
    expect(String(await ask(19))).toBe('10');
    expect(String(await ask(20))).toBe('20');
    expect(String(await ask(9))).toBe('9');
    expect(String(await ask(15))).toBe('10');
    expect(made).toBe(3);
  });

  it('are no more than fit, and the first to go is the one that was asked for longest ago', async () => {
    const kept = keptAnswers(store, 10_000);
    const made: string[] = [];
    const ask = (name: string, length = 600) =>
      kept.answer(name, 0, () => {
        made.push(name);
        return Promise.resolve({ text: name.padEnd(length), within: ALWAYS });
      });
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'a', 'i', 'a', 'b']) await ask(name);
    expect(made.join('')).toBe('abcdefghib');
    await ask('too long', 2_000);
    await ask('too long', 2_000);
    expect(made.slice(-2)).toEqual(['too long', 'too long']);
  });

  it('have a part in common that is made once, and end with it, also where it was written after it came to them', async () => {
    const { topic } = note({});
    const kept = keptAnswers(store);
    const made: string[] = [];
    const ask = (name: string, afterPart = () => Promise.resolve()) =>
      kept.answer(name, 0, async (_noted, part) => {
        const { text, within } = await part('part', async (noted) => {
          made.push('part');
          return { text: String(await noted.collection(notes).count({ topic })), within: ALWAYS };
        });
        made.push(name);
        await afterPart();
        return { text: `${name} ${text}`, within };
      });
    expect([await ask('a'), await ask('b'), await ask('b')].map(String)).toEqual(['a 0', 'b 0', 'b 0']);
    expect(made).toEqual(['part', 'a', 'b']);
    await other.collection(notes).insert(note({ topic }));
    expect([await ask('a'), await ask('b')].map(String)).toEqual(['a 1', 'b 1']);
    // Of a part that is kept, and of one that is being made for it.
    for (const isKept of [true, false]) {
      if (!isKept) await other.collection(notes).insert(note({ topic }));
      const before = await store.collection(notes).count({ topic });
      await ask(`c ${isKept}`, async () => {
        await other.collection(notes).insert(note({ topic }));
        // Another look-up hears of it meanwhile.
        await kept.answer(`another ${isKept}`, 0, () => Promise.resolve({ text: '', within: ALWAYS }));
      });
      expect(String(await ask(`c ${isKept}`))).toBe(`c ${isKept} ${before + 1}`);
    }
  });

  it('are none on a store that tells nothing, nor are parts', async () => {
    let made = 0;
    const untold = keptAnswers({ ...store, changesSince: () => Promise.resolve(undefined) });
    for (let i = 0; i < 2; i++)
      await untold.answer('it', 0, (_, part) =>
        part('part', () => Promise.resolve({ text: String(made++), within: ALWAYS })),
      );
    expect(made).toBe(2);
  });

  describe('of several at once', () => {
    /** Asks for topics, whose notes are read all at once, and of each for the notes of the topic it names besides. */
    function asker(besides: Readonly<Record<string, string>> = {}) {
      const kept = keptAnswers(store);
      const made: string[] = [];
      async function* make(noted: Store, names: readonly string[]) {
        const rows = noted.collection(notes);
        const named = names.flatMap((name) => besides[name] ?? []);
        const found = await rows.find({ where: { topic: { in: [...names, ...named] } } });
        await rows.get('common');
        for (const name of names) {
          made.push(name);
          const own = [name, besides[name] ?? name];
          const text = String(found.rows.filter(({ topic }) => own.includes(topic)).length);
          yield { name, text, within: ALWAYS, of: own };
        }
      }
      const ask = async (names: readonly string[]) => {
        const answers: Record<string, string> = {};
        for await (const { name, text } of kept.several(names, 0, make)) answers[name] = text;
        return { answers, made: made.splice(0) };
      };
      return { kept, make, ask };
    }

    it('are made for those alone that are not kept', async () => {
      const [a, b] = [randomUUID(), randomUUID()];
      const { ask } = asker();
      expect(await ask([a])).toEqual({ answers: { [a]: '0' }, made: [a] });
      expect(await ask([a, b])).toEqual({ answers: { [a]: '0', [b]: '0' }, made: [b] });
      expect(await ask([b, a])).toEqual({ answers: { [a]: '0', [b]: '0' }, made: [] });
    });

    it('end by what is written of their own values, of those they share, and of what all read; not of another’s', async () => {
      const [a, b, c] = [randomUUID(), randomUUID(), randomUUID()];
      const { ask } = asker({ [a]: b });
      await ask([a, b, c]);
      await other.collection(notes).insert(note({ topic: c }));
      expect(await ask([a, b, c])).toEqual({ answers: { [a]: '0', [b]: '0', [c]: '1' }, made: [c] });
      await other.collection(notes).insert(note({ topic: b }));
      expect(await ask([a, b, c])).toEqual({ answers: { [a]: '1', [b]: '1', [c]: '1' }, made: [a, b] });
      await other.collection(notes).insert(note({ note_id: 'common' }));
      expect((await ask([a, b, c])).made).toEqual([a, b, c]);
      await other.collection(notes).delete('common');
    });

    it('are none where whoever asked has stopped, or something of any was written meanwhile', async () => {
      const [a, b] = [randomUUID(), randomUUID()];
      const { kept, make, ask } = asker();
      for await (const { name } of kept.several([a, b], 0, make)) if (name === a) break;
      expect((await ask([])).made).toEqual([a]);
      expect((await ask([a, b])).made).toEqual([a, b]);

      const [c, d] = [randomUUID(), randomUUID()];
      for await (const { name } of kept.several([c, d], 0, make)) {
        if (name !== c) continue;
        await other.collection(notes).insert(note({ topic: d }));
        await ask([a]);
      }
      await ask([]);
      expect((await ask([c, d])).answers).toEqual({ [c]: '0', [d]: '1' });
    });

    it('are made all, each time, on a store that does not tell', async () => {
      const untold = keptAnswers({ ...store, changesSince: () => Promise.resolve(undefined) });
      const { make } = asker();
      for (let i = 0; i < 2; i++) {
        const names: string[] = [];
        for await (const { name } of untold.several(['x', 'y'], 0, make)) names.push(name);
        expect(names).toEqual(['x', 'y']);
      }
    });
  });
});
