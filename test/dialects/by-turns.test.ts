import { randomUUID } from 'node:crypto';
import { ADCPMultiAgentClient } from '#adcp-buyer/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openFleet } from '../journeys/support/rolling/fleet.ts';
import type { Fleet } from '../journeys/support/rolling/fleet.ts';
import { describeOnStores } from '../support/stores.ts';
import { accountOf, orderOf, packageForSale } from './support/booking.ts';

describeOnStores('[D3.changes] two processes that take turns with a buyer, on %s,', (store) => {
  const cleanUp: (() => Promise<unknown>)[] = [];
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await openFleet(store, { DRAIN_SECONDS: '0' }, cleanUp);
    await fleet.start('server');
    await Promise.all([fleet.start('server'), fleet.start('worker')]);
  });
  afterAll(async () => {
    for (const close of cleanUp.splice(0).reverse()) await close();
  });

  describe.each([
    ['a2a', ''],
    ['mcp', '/mcp'],
  ] as const)('over %s', (protocol, path) => {
    it('tell the public client of release 3.0, as it is, one story: each sees at once what the other has done', async () => {
      const { agent, balancer } = fleet;
      const config = { id: 'us', name: 'us', agent_uri: `${agent.baseUrl}${path}`, protocol, auth_token: agent.apiKey };
      const buyer = new ADCPMultiAgentClient([config]).agent('us');
      const account = accountOf(`${protocol}.example`);
      const before = new Map(balancer.given);

      // Its types are of its own release's schema, and this is a request by that.
      type Order = Parameters<typeof buyer.createMediaBuy>[0];
      const order = orderOf(await packageForSale(agent), { account }) as unknown as Order;
      const made = await buyer.createMediaBuy(order);
      expect([made.error ?? '', made.status]).toEqual(['', 'completed']);
      const { media_buy_id } = made.data as unknown as { media_buy_id: string };
      const read = async () => {
        const { data } = await buyer.getMediaBuys({ account, media_buy_ids: [media_buy_id] });
        const [row] = (data as unknown as { media_buys: { status: string; revision: number }[] }).media_buys;
        return row && ([row.status, row.revision] as const);
      };
      /** Does the same at each of the two, whether a call of the client's is an even number of requests or an odd one. */
      const atBoth = async (look: () => Promise<void>) => {
        await look();
        await fetch(`${agent.baseUrl}/.well-known/agent-card.json`);
        await look();
        await look();
      };
      const seen = await read();
      await atBoth(async () => {
        const again = await buyer.createMediaBuy(order);
        expect(again.data).toMatchObject({ media_buy_id, replayed: true });
        expect(await read()).toEqual(seen);
      });
      let last = seen?.[1] ?? 0;
      for (const paused of [true, false, true]) {
        const { data, error } = await buyer.updateMediaBuy({
          account,
          media_buy_id,
          idempotency_key: randomUUID(),
          paused,
        });
        expect(error ?? '').toBe('');
        const { status, revision } = data as unknown as { status: string; revision: number };
        expect(revision).toBeGreaterThan(last);
        last = revision;
        await atBoth(async () => {
          expect(await read()).toEqual([status, revision]);
        });
      }
      await buyer.updateMediaBuy({ account, media_buy_id, idempotency_key: randomUUID(), canceled: true });
      await atBoth(async () => {
        expect((await read())?.[0]).toBe('canceled');
        const { adcpError } = await buyer.updateMediaBuy({
          account,
          media_buy_id,
          idempotency_key: randomUUID(),
          paused: true,
        });
        expect(adcpError).toMatchObject({ code: 'INVALID_STATE' });
      });

      expect(balancer.failed).toEqual([]);
      expect(balancer.given.size).toBe(2);
      for (const [url, count] of balancer.given) expect(count - (before.get(url) ?? 0)).toBeGreaterThan(10);
    });
  });
});
