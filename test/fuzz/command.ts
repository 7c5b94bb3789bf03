import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { describedTasks } from '../../scripts/write-card.ts';
import { fuzzedParsers, isRefusal } from './parsers.ts';

/** `npm run fuzz -- [--cases N] [--seed N] [--only TEXT]`: tries every parser of what comes in; see CONTRIBUTING.md. */
const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: '100000' },
    seed: { type: 'string' },
    only: { type: 'string', default: '' },
  },
});
const seed = Number(values.seed ?? randomInt(2 ** 31));
const parsers = fuzzedParsers((await describedTasks()).tasks).filter(({ name }) => name.includes(values.only));
const cases = Math.max(1, Math.ceil(Number(values.cases) / parsers.length));
console.log(`seed ${seed}: ${parsers.length} parsers, ${cases} cases each`);

const ROUNDS = 10;
let failed = 0;
let slowestMs = 0;
let tried = 0;
// In rounds over all parsers, so that the heap can be compared from one to the next.
for (let round = 0; round < ROUNDS; round++) {
  for (const { name, input, read } of parsers) {
    const asked = Math.ceil(cases / ROUNDS);
    const outcome = await fc.check(
      fc.asyncProperty(input, async (value) => {
        const began = performance.now();
        try {
          await read(value as never);
        } catch (error) {
          if (!isRefusal(error)) throw error;
        } finally {
          slowestMs = Math.max(slowestMs, performance.now() - began);
        }
      }),
      { seed: seed + round, numRuns: asked },
    );
    tried += outcome.numRuns;
    if (!outcome.failed) continue;
    failed++;
    console.error(
      `${name} has failed (--only ${JSON.stringify(name)} --seed ${seed + round}): ${fc.stringify(outcome.counterexample)}`,
    );
    console.error(outcome.errorInstance);
  }
  (globalThis as { gc?: () => void }).gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  const [heap, all] = [heapUsed, rss].map((bytes) => `${(bytes / 2 ** 20).toFixed(0)} MB`);
  console.log(`${tried} cases: heap ${heap ?? ''}, rss ${all ?? ''}, slowest so far ${slowestMs.toFixed(1)} ms`);
}
console.log(failed === 0 ? 'every case was read or refused' : `${failed} parsers have failed`);
process.exit(failed === 0 ? 0 : 1);
