import { createHash, randomInt } from 'node:crypto';

/** Choices that the same seed makes again. */
export interface Chance {
  /** A whole number, both bounds among them. */
  between(least: number, most: number): number;
  /** The same things in another order. */
  shuffled<T>(things: readonly T[]): T[];
}

/**
 * Chance by the seed in `CRASH_SEED`, or by a new one; either is printed, so that a run can be had again. Each test
 * names itself, and chooses the same whichever others run beside it.
 */
export function seededChance(test: string): Chance {
  const seed = process.env['CRASH_SEED'] ?? String(randomInt(2 ** 32));
  console.log(`CRASH_SEED=${seed} chooses: ${test}`);
  return chanceBy(`${seed}/${test}`);
}

/** Chance by a seed of any text. */
export function chanceBy(seed: string): Chance {
  let drawn = 0;
  const draw = () => createHash('sha256').update(`${seed}/${drawn++}`).digest().readUIntBE(0, 6) / 2 ** 48;
  const between = (least: number, most: number) => least + Math.floor(draw() * (most - least + 1));
  return {
    between,
    shuffled(things) {
      const order = [...things];
      for (let last = order.length - 1; last > 0; last--) {
        const other = between(0, last);
        [order[last], order[other]] = [order[other] as (typeof order)[number], order[last] as (typeof order)[number]];
      }
      return order;
    },
  };
}
