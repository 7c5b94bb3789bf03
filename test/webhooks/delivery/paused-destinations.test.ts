import { afterEach, expect, it } from 'vitest';
import { createPauses, PausedDestinations } from '../../../src/webhooks/delivery/paused-destinations.ts';
import { installation } from '../../directory/support/installation.ts';
import { spoilRow } from '../../support/spoil-row.ts';
import { describeOnStores } from '../../support/stores.ts';

const cleanUp: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of cleanUp.splice(0)) await close();
});

describeOnStores('a pause that cannot be read, on %s', (kind) => {
  it.each(['reason', 'paused_at'])(
    '[S6] since its %s is not what it must be, still pauses, is shown, and can be taken back',
    async (field) => {
      const place = await installation([PausedDestinations], kind);
      cleanUp.push(() => place.close());
      const open = () => createPauses({ rows: place.store.collection(PausedDestinations), clock: place.clock });
      const [bad, good] = ['https://a.example:443', 'https://b.example:443'];
      for (const destination of [bad, good]) await open().pause({ destination, by: 'ann', reason: 'maintenance' });
      await spoilRow(() => place.another([]), PausedDestinations, bad, field);

      const pauses = open();
      expect([await pauses.isPaused(bad), await pauses.isPaused(good)]).toEqual([true, true]);
      expect(await pauses.isPaused('https://c.example:443')).toBe(false);
      const shown = (await pauses.list()).map(({ destination, paused_by }) => [destination, paused_by]);
      expect(shown.sort()).toEqual([
        [bad, null],
        [good, 'ann'],
      ]);
      await pauses.pause({ destination: bad, by: 'ann', reason: 'again' });
      expect(await pauses.resume(bad)).toBe(true);
      expect([await pauses.isPaused(bad), await pauses.isPaused(good)]).toEqual([false, true]);
    },
  );
});
