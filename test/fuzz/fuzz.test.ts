import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describedTasks } from '../../scripts/write-card.ts';
import { fuzzedParsers, isRefusal } from './parsers.ts';

const parsers = fuzzedParsers((await describedTasks()).tasks);

/** Small, and always the same; `npm run fuzz -- --cases 1000000` tries as many as are wanted, from any seed. */
const CASES = { seed: 20_260_101, numRuns: 150 };

describe('whatever comes in', () => {
  it.each(parsers.map((parser) => [parser.name, parser] as const))(
    '[S1] as %s, is read or refused',
    async (_name, { input, read }) => {
      await fc.assert(
        fc.asyncProperty(input, async (value) => {
          try {
            await read(value as never);
          } catch (error) {
            if (!isRefusal(error)) throw error;
          }
        }),
        CASES,
      );
      expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    },
  );
});
