import { exec } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Collection, Store } from '../../../../src/platform/store/collection.ts';
import { seededChance } from '../../../support/chance.ts';
import { until } from '../../../support/until.ts';
import { createMongoPlace, mongoTestUrl } from '../../support/mongo-place.ts';
import type { MongoPlace } from '../../support/mongo-place.ts';
import { openTarget, thing, Things, wholeBody } from '../../support/thing.ts';
import type { Thing } from '../../support/thing.ts';

const crash = process.env['MONGODB_TEST_CRASH'];
const resume = process.env['MONGODB_TEST_RESUME'];
const run = promisify(exec);

describe.runIf(mongoTestUrl !== undefined && crash !== undefined && resume !== undefined)(
  'a MongoDB that crashes',
  () => {
    let place: MongoPlace;
    let store: Store;
    let things: Collection<Thing>;

    beforeAll(async () => {
      place = await createMongoPlace();
      store = openTarget(place.target);
      things = store.collection(Things);
      await store.prepare();
    });
    afterAll(async () => {
      await store.close();
      await place.remove();
    });

    it('under eight writers loses no write it has acknowledged, doubles none, and they go on', async () => {
      await things.insert(thing('counter', { rank: 0 }));
      const written = new Map<string, number>();
      let added = 0;
      let stopping = false;

      const write = async (writer: number) => {
        for (let at = 0; !stopping; at++) {
          const id = `${writer}-${at}`;
          expect(await things.insert(thing(id, { rank: 1, body: wholeBody(1) }))).toEqual({ inserted: true });
          written.set(id, 1);
          const replaced = await things.replace(thing(id, { rank: 2, body: wholeBody(2) }));
          expect(replaced?.revision).toBe(2);
          written.set(id, 2);
          const outcome = await things.update('counter', (row) => ({ ...row, rank: (row.rank ?? 0) + 1 }));
          expect(outcome?.changed).toBe(true);
          added++;
        }
      };
      const chance = seededChance('a MongoDB that crashes');
      /** Until so many more writes are acknowledged. */
      const progress = () => {
        const goal = added + chance.between(1, 80);
        return until(() => added >= goal);
      };
      const writers = Promise.all(Array.from({ length: 8 }, (_, writer) => write(writer)));
      for (let round = 0; round < 3; round++) {
        await Promise.race([progress(), writers]);
        await run(crash ?? '');
        await run(resume ?? '');
      }
      await Promise.race([progress(), writers]);
      stopping = true;
      await writers;

      expect(await things.get('counter')).toMatchObject({ rank: added, revision: added + 1 });
      const stored = await things.getMany([...written.keys()]);
      expect(stored).toHaveLength(written.size);
      for (const row of stored) expect(row).toMatchObject({ rank: 2, revision: 2, body: wholeBody(2) });
    }, 600_000);

    it('and is away for ten seconds only delays what is asked of it', async () => {
      await things.insert(thing('before', { group: 'away' }));
      await run(crash ?? '');
      const inserts = Array.from({ length: 20 }, (_, at) => things.insert(thing(`away-${at}`, { group: 'away' })));
      const read = things.get('before');
      await run('sleep 10');
      await run(resume ?? '');
      expect((await Promise.all(inserts)).every((outcome) => outcome.inserted)).toBe(true);
      expect(await read).toMatchObject({ group: 'away' });
      expect(await things.count({ group: 'away' })).toBe(21);
    });
  },
);
