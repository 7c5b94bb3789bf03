import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Json } from '../journeys/support/buyer.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { EXPLAINED } from '../storyboards/explained.ts';
import { describeOnStores } from '../support/stores.ts';
import { orderOf, packageForSale } from './support/booking.ts';
import { openPublicAgent } from './support/public-agent.ts';
import type { AskPublic } from './support/public-agent.ts';
import { RELEASES } from './support/public-call.ts';

/** Boards stand for specialisms by their names. */
const boardOf = (specialism: string) => specialism.replaceAll('-', '_');
/** Specialisms of sellers of media whose boards have been run; see `docs/interop.md`. */
const RUN = ['sales-guaranteed', 'sales-non-guaranteed', 'sales-broadcast-tv', 'sales-social', 'sales-proposal-mode'];

describeOnStores('[D3.claims] what the capabilities claim, on %s,', (store) => {
  let at: TestAgent;
  let ask: AskPublic;
  beforeAll(async () => {
    ({ at, ask } = await openPublicAgent(store, { env: { APPROVAL_OVER: 'USD:1000' } }));
  });
  afterAll(() => at.stop());

  it.each(RELEASES)('is in %s no specialism with a storyboard of which a step fails', async (release) => {
    const { specialisms = [] } = await ask(release, 'get_adcp_capabilities', {});
    const failing = RUN.filter((one) => EXPLAINED.some(({ board }) => board === boardOf(one)));
    expect(failing).toEqual(RUN);
    // And none that has not been run.
    expect((specialisms as string[]).filter((one) => failing.includes(one) || !RUN.includes(one))).toEqual([]);
  });

  it.each(RELEASES)(
    'is in %s no end of what is under way: a repeat meets the task itself, however often',
    async (release) => {
      const { adcp } = await ask(release, 'get_adcp_capabilities', {});
      expect(adcp).toMatchObject({ idempotency: { supported: true, replay_ttl_seconds: 86_400 } });
      expect((adcp as { idempotency: Json }).idempotency).not.toHaveProperty('in_flight_max_seconds');
      // It waits for a person.
      const order = orderOf({ ...(await packageForSale(at)), budget: 30_000 });
      const answers = await Promise.all([1, 2, 3].map(() => ask(release, 'create_media_buy', order)));
      answers.push(await ask(release, 'create_media_buy', order));
      const [{ task_id } = {}] = answers;
      expect(task_id).toBeDefined();
      expect(answers.map((one) => [one['status'], one['task_id']])).toEqual(answers.map(() => ['submitted', task_id]));
    },
  );
});
