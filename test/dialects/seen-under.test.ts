import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask as askOurs, mediaBuyInput } from '../journeys/support/buyer.ts';
import type { Json } from '../journeys/support/buyer.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { describeOnStores } from '../support/stores.ts';
import { accountOf, orderOf, packageForSale } from './support/booking.ts';
import { openPublicAgent } from './support/public-agent.ts';
import type { AskPublic } from './support/public-agent.ts';
import { RELEASES } from './support/public-call.ts';

const STANDING = ['pending_creatives', 'pending_start', 'active', 'paused'];
const NOT_FOUND = { adcp_error: { code: 'MEDIA_BUY_NOT_FOUND' } };

describeOnStores('[D4] a media buy that was booked in our own words, under no account, on %s', (store) => {
  let at: TestAgent;
  let ask: AskPublic;
  let acme: unknown;
  let zenith: unknown;
  /** Of no account, of the one and of the other. */
  let [ours, its, others] = ['', '', ''];
  beforeAll(async () => {
    ({ at, ask } = await openPublicAgent(store));
    const line = await packageForSale(at);
    ours = String((await askOurs(at, 'create_media_buy', mediaBuyInput(at)))['media_buy_id']);
    const booked = async (domain: string) => {
      const { media_buy_id, account } = await ask(
        '3.1',
        'create_media_buy',
        orderOf(line, { account: accountOf(domain) }),
      );
      return [String(media_buy_id), { account_id: (account as Json)['account_id'] }] as const;
    };
    [its, acme] = await booked('acme.example');
    [others, zenith] = await booked('zenith.example');
  });
  afterAll(() => at.stop());

  const idsOf = (rows: unknown) =>
    new Set((rows as { media_buy_id: string }[]).map(({ media_buy_id }) => media_buy_id));

  describe.each(RELEASES)('in %s', (release) => {
    it('is read under each account, beside the account’s own, and no other’s is', async () => {
      for (const [account, own] of [
        [acme, its],
        [zenith, others],
      ]) {
        for (const asked of [{ status_filter: STANDING }, { status_filter: STANDING, media_buy_ids: [ours, own] }]) {
          const read = await ask(release, 'get_media_buys', { account, ...asked });
          expect(idsOf(read['media_buys'])).toEqual(new Set([ours, own]));
          expect(read['pagination']).toEqual({ has_more: false, total_count: 2 });
          const delivered = await ask(release, 'get_media_buy_delivery', { account, ...asked });
          expect(idsOf(delivered['media_buy_deliveries'])).toEqual(new Set([ours, own]));
        }
      }
      const all = await ask(release, 'get_media_buys', { status_filter: STANDING });
      expect(idsOf(all['media_buys'])).toEqual(new Set([ours, its, others]));
    });

    it('comes in pages with the account’s own, each once, the newest first', async () => {
      const asked = { account: zenith, status_filter: STANDING };
      const first = await ask(release, 'get_media_buys', { ...asked, pagination: { max_results: 1 } });
      expect(first['media_buys']).toMatchObject([{ media_buy_id: others }]);
      const { cursor } = first['pagination'] as Json;
      const next = await ask(release, 'get_media_buys', { ...asked, pagination: { max_results: 1, cursor } });
      expect(next['media_buys']).toMatchObject([{ media_buy_id: ours }]);
      expect(next['pagination']).toEqual({ has_more: false, total_count: 2 });
    });

    it('is changed under each account, as none of another account is', async () => {
      const change = (account: unknown, media_buy_id: string, more: Json) =>
        ask(release, 'update_media_buy', { account, media_buy_id, idempotency_key: randomUUID(), ...more });
      for (const account of [acme, zenith])
        for (const paused of [true, false])
          expect(await change(account, ours, { paused })).toMatchObject({ media_buy_id: ours });
      expect(await change(acme, others, { paused: true })).toMatchObject(NOT_FOUND);
      const read = { account: acme, media_buy_ids: [others] };
      expect(await ask(release, 'get_media_buys', read)).toMatchObject({ media_buys: [] });
      expect(await ask(release, 'get_media_buy_delivery', read)).toMatchObject(NOT_FOUND);
    });
  });
});
