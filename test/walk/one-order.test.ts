import { expect, it, onTestFinished } from 'vitest';
import { describeOnStores } from '../support/stores.ts';
import { takeBuyerStep } from './support/buyer-steps.ts';
import { rest } from './support/rest.ts';
import type { Fate } from './support/step.ts';
import { beginWalk, buysOf } from './support/world.ts';
import { work } from './support/work-steps.ts';

const BUY = { do: 'create', lines: 2, isLarge: false, startsIn: 0, hours: 40, creative: 1, isTargeted: true } as const;

describeOnStores('a process on %s that dies', (store) => {
  it('[I9] [I6] at any write, before or after any put, or leaves any native write undone, makes one native order of a buy and one line of a package', async () => {
    const one = await beginWalk(store, 'one order');
    const { agent, ledger, buyer } = one;
    onTestFinished(() => agent.close());
    const { controls } = agent.adServer.simulator;
    /** Asks for a buy whose turn is cut short; answers whether it was. */
    const dies = async (fate: Fate): Promise<boolean> => {
      await takeBuyerStep(buyer, { ...BUY, tells: false, mark: '' });
      const turn = () => work(agent, ledger, buyer, { do: 'turn', which: 0 });
      const how = await agent.fates.under(fate, () => Promise.resolve(), turn);
      // Whoever finds it next has it done, so that the next turn is the next buy's.
      while ((await turn()) !== 'no turn is owed');
      return how === 'died';
    };
    // After a write is before the next.
    let n = 1;
    while (await dies({ at: 'write', when: 'before', n, then: 'dies' })) n += store === 'sqlite' ? 1 : 5;
    expect(n).toBeGreaterThan(5);
    for (const when of ['before', 'after'] as const) await dies({ at: 'put', when, n: 1, then: 'dies' });
    const never: Fate = { at: 'put', when: 'before', n: 1_000, then: 'dies' };
    for (let writes = 1; writes <= 8; writes++) {
      await controls.take({ stop_before_native_write: writes });
      await dies(never);
      agent.clock.advance(2_000);
      await controls.take({ stop_before_native_write: 0 });
    }
    // Looks at all of them, their native orders and lines among it.
    await rest(one, () => undefined);
    agent.clock.advance(60_000);
    await rest(one, () => undefined);
    expect(new Set(buysOf(one).map(({ status }) => status))).toEqual(new Set(['active']));
    const { creates } = controls.calls();
    expect(creates).toMatchObject({ orders: buysOf(one).length, lines: 2 * buysOf(one).length });
  });
});
