import { once } from 'node:events';
import { addByReplace, addByUpdate, openTarget, thing, Things, wholeBody } from './thing.ts';

/**
 * A process of its own that writes things. Says `ready`, waits for a line, and then
 * - `thing-writer.ts TARGET count ID TIMES`: adds one to a thing's rank so many times at once, says `done` and ends;
 * - `thing-writer.ts TARGET acknowledge PREFIX WRITERS`: inserts things and writes each twice more, for ever, and says
 *   `ID REVISION` for each write that the store has answered.
 */
const [target = '', mode, name = '', times = '1'] = process.argv.slice(2);
const store = openTarget(target);
const things = store.collection(Things);
await store.prepare();
console.log('ready');
await once(process.stdin, 'data');
process.stdin.destroy();

if (mode === 'count') {
  const add = (_: unknown, at: number) => (at % 2 === 0 ? addByUpdate : addByReplace)(things, name);
  await Promise.all(Array.from({ length: Number(times) }, add));
  console.log('done');
} else {
  await Promise.all(Array.from({ length: Number(times) }, (_, writer) => acknowledge(`${name}-${writer}`)));
}
await store.close();

async function acknowledge(prefix: string): Promise<never> {
  for (let at = 0; ; at++) {
    const id = `${prefix}-${at}`;
    await things.insert(thing(id, { rank: 1, body: wholeBody(1) }));
    console.log(`${id} 1`);
    for (const revision of [2, 3]) {
      await things.update(id, (row) => ({ ...row, rank: revision, body: wholeBody(revision) }));
      console.log(`${id} ${revision}`);
    }
  }
}
