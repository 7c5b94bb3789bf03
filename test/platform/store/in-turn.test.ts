import { expect, it } from 'vitest';
import { inTurnByKeys } from '../../../src/platform/store/in-turn.ts';

it('runs what has any key in common one after another, in whatever order the keys are named, and all else at once', async () => {
  const inTurn = inTurnByKeys();
  const running: string[][] = [];
  const pairs: string[] = [];
  const run = (keys: string[]) =>
    inTurn(keys, async () => {
      for (const other of running) {
        expect(keys.filter((key) => other.includes(key))).toEqual([]);
        pairs.push(`${other.join('')} beside ${keys.join('')}`);
      }
      running.push(keys);
      for (let i = 0; i < 5; i++) await Promise.resolve();
      running.splice(running.indexOf(keys), 1);
    });
  await Promise.all([['a', 'b'], ['b', 'a'], ['c', 'a', 'c'], ['d'], ['b', 'c'], []].map(run));
  expect(pairs).toContain('d beside ');
});

it('goes on after what failed, and keeps nothing of it', async () => {
  const inTurn = inTurnByKeys();
  const failed = inTurn(['a', 'b'], () => Promise.reject(new Error('no')));
  const after = inTurn(['b'], () => Promise.resolve('yes'));
  await expect(failed).rejects.toThrow('no');
  expect(await after).toBe('yes');
});
