import { expect, it } from 'vitest';
import { eachInTurn } from '../../src/platform/each-in-turn.ts';

async function* later<T>(items: readonly T[]): AsyncGenerator<T> {
  for (const item of items) yield await Promise.resolve(item);
}

it('each in turn is worked on, one after the other, whatever becomes of those before; the first fault is told', async () => {
  const begun: number[] = [];
  let atWork = 0;
  const work = async (n: number) => {
    begun.push(n);
    atWork += 1;
    expect(atWork).toBe(1);
    await Promise.resolve();
    atWork -= 1;
    if (n % 2 === 0) throw new Error(`fault of ${n}`);
  };
  for (const items of [[1, 2, 3, 4, 5], later([1, 2, 3, 4, 5])]) {
    await expect(eachInTurn(items, work)).rejects.toThrow('fault of 2');
    expect(begun.splice(0)).toEqual([1, 2, 3, 4, 5]);
  }
  await eachInTurn([1, 3], work);
});
