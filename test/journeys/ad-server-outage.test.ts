import { describe, it } from 'vitest';
import { seededChance } from '../support/chance.ts';
import { MOMENTS } from '../support/fault-point.ts';
import { itOnStores } from '../support/stores.ts';
import { playOutage } from './support/outage/outage-story.ts';

const TIMEOUT_MS = 1_200_000;
/** How many writes a worker lives. */
const LIVES = [
  [1, 10],
  [11, 60],
] as const;

// The long form, by the clock: `npm run ad-server:outage`.
describe.concurrent('changes that are asked for while the ad server’s process is dead', () => {
  it(
    '[W1] [T1.no-return] [T1.less-first] on sqlite are told after its return, less before more, and each event of them comes once',
    async () => {
      const chance = seededChance('outage without kills');
      console.log(await playOutage({ store: 'sqlite', chance, awayMs: 0, fates: [[], []] }));
    },
    TIMEOUT_MS,
  );

  itOnStores(
    '[W1] [T1.no-return] [T1.less-first] on %s are told after its return, less before more, whoever dies and whatever the queue forgets meanwhile',
    async (store) => {
      const chance = seededChance(`outage on ${store}`);
      const fates = [0, 1].map(() =>
        LIVES.map(([least, most]) => {
          const [moment = 'before'] = chance.shuffled(MOMENTS);
          return { what: 'write' as const, moment, n: chance.between(least, most) };
        }),
      );
      console.log(await playOutage({ store, chance, awayMs: 0, fates, flush: true }));
    },
    TIMEOUT_MS,
  );
});
