import { expect, it } from 'vitest';
import { describeOnStores } from '../support/stores.ts';
import { walk } from './support/walk.ts';

// The same walk each time; `npm run walk` walks others, as long as one likes.
describeOnStores('a walk at random over every task, person and fault there is, on %s', (store) => {
  it('[I1] [I2] [I3] [I4] [I5] [I6] [I7] [I8] [I9] [I10] [I11] [I12] [B2] [B2.revision] [B10] [T1] [T1.no-return] [W1] holds after each step, at rest and when all flights are over', async () => {
    const seed = process.env['WALK_SEED'] ?? '190030480';
    const steps = Number(process.env['WALK_STEPS'] ?? (store === 'sqlite' ? 120 : 50));
    console.log(`WALK_SEED=${seed} WALK_STEPS=${steps} walk so again`);
    const walked = await walk({ store, seed, steps });
    expect(walked.steps).toBe(steps);
    // It did something.
    expect(Object.keys(walked.buys)).not.toEqual([]);
  });
});
