import { describe, expect, it } from 'vitest';
import { aboutRows } from '../../../src/platform/store/told-changes.ts';
import { readAll } from '../../../src/registry/read-all.ts';
import { seededChance } from '../../support/chance.ts';
import type { Bench } from './collection-contract.ts';
import { startChild } from '../support/child.ts';
import { thing, wholeBody } from '../support/thing.ts';

export function processContract({ things, store, target, fresh }: Bench): void {
  describe('several processes', () => {
    it('that write the same row lose none of 50 racing updates each', async () => {
      const id = fresh();
      await things().insert(thing(id, { rank: 0 }));
      const children = await Promise.all([1, 2].map(() => startChild('thing-writer.ts', target(), 'count', id, '50')));
      await Promise.all(children.map((child) => child.line((line) => line === 'ready')));
      for (const child of children) child.go();
      expect(await Promise.all(children.map((child) => child.ended))).toEqual([0, 0]);
      expect(await things().get(id)).toMatchObject({ rank: 100, revision: 101 });
    });

    it('that are killed in mid-write lose nothing they were told is written, and leave nothing half-written', async () => {
      const chance = seededChance('writers that are killed');
      for (let round = 0; round < 4; round++) {
        const before = await store().changesSince(undefined);
        const prefix = fresh();
        const child = await startChild('thing-writer.ts', target(), 'acknowledge', prefix, '10');
        await child.line((line) => line === 'ready');
        child.go();
        const last = chance.between(20, 199);
        await child.line((_, count) => count === last);
        child.kill();
        await child.ended;

        const acknowledged = new Map<string, number>();
        for (const line of child.lines.slice(1)) {
          const [id = '', revision] = line.split(' ');
          acknowledged.set(id, Number(revision));
        }
        const stored = new Map((await things().getMany([...acknowledged.keys()])).map((row) => [row.thing_id, row]));
        for (const [id, revision] of acknowledged) {
          const row = stored.get(id);
          expect(row?.revision).toBeGreaterThanOrEqual(revision);
          expect(row).toMatchObject({ rank: row?.revision, body: wholeBody(row?.revision ?? 0) });
        }
        // What is there is told, acknowledged or not, where the store tells anything.
        const told = before && (await store().changesSince(before.mark));
        const touched = told?.touched && new Set(told.touched);
        for (const { thing_id } of touched === undefined ? [] : await readAll(things(), { group: 'none' }))
          if (thing_id.startsWith(prefix)) expect(touched).toContain(aboutRows('things', 'thing_id', thing_id));
      }
    });
  });
}
