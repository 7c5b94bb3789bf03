import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Json } from '../journeys/support/buyer.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { describeOnStores } from '../support/stores.ts';
import { accountOf, orderOf, packageForSale } from './support/booking.ts';
import { bodyOf, callPublic, schemaErrors } from './support/public-call.ts';

describeOnStores('a change that comes again in the public protocol, on %s', (store) => {
  let at: TestAgent;
  const account = accountOf('acme.example');

  beforeAll(async () => {
    at = await startTestAgent(store, { env: { CREATIVE_REVIEW_SECONDS: '0' } });
  });
  afterAll(() => at.stop());

  async function ask(skill: string, parameters: Json): Promise<Json> {
    const body = bodyOf(await callPublic(at, skill, { adcp_version: '3.1', ...parameters }));
    expect(schemaErrors(skill, '3.1', body)).toEqual([]);
    return body;
  }

  async function booked(): Promise<{ media_buy_id: string; revision: number }> {
    const made = await ask('create_media_buy', orderOf(await packageForSale(at)));
    return made as { media_buy_id: string; revision: number };
  }

  const change = (media_buy_id: string, more: Json): Json => ({
    ...{ account, media_buy_id, idempotency_key: randomUUID() },
    ...more,
  });
  const stored = async (media_buy_id: string) => at.core.sales.mediaBuys.get(media_buy_id);

  it('[D2] a pause that was done is told again, though by now all is as it wants it', async () => {
    const { media_buy_id, revision } = await booked();
    const pause = change(media_buy_id, { paused: true, revision });
    const first = await ask('update_media_buy', pause);
    expect(first).toMatchObject({ status: 'completed' });
    const again = await ask('update_media_buy', pause);
    expect(again).toMatchObject({ status: 'completed', replayed: true, revision: first['revision'] });
  });

  it('[D2] a change that had nothing to do does nothing when it comes again later', async () => {
    const { media_buy_id } = await booked();
    const noPause = change(media_buy_id, { paused: false });
    expect(await ask('update_media_buy', noPause)).toMatchObject({ status: 'completed', affected_packages: [] });
    await ask('update_media_buy', change(media_buy_id, { paused: true }));
    const { revision } = (await stored(media_buy_id)) ?? {};
    expect(await ask('update_media_buy', noPause)).toMatchObject({ status: 'completed', replayed: true });
    expect(await stored(media_buy_id)).toMatchObject({ status: 'paused', revision });
    const other = { ...noPause, paused: true };
    expect(await ask('update_media_buy', other)).toMatchObject({ adcp_error: { code: 'IDEMPOTENCY_CONFLICT' } });
  });

  it('[D2] a change that has nothing to do waits for one on its way, which may make another thing of the buy', async () => {
    const { media_buy_id } = await booked();
    const opened_at = new Date().toISOString();
    const open_change = { kind: 'update', task_id: null, order: null, opened_at } as const;
    await at.core.sales.mediaBuys.update(media_buy_id, (buy) => ({ ...buy, open_change }));
    const noPause = change(media_buy_id, { paused: false });
    expect(await ask('update_media_buy', noPause)).toMatchObject({
      adcp_error: { code: 'CONFLICT', field: 'media_buy_id', recovery: 'transient' },
    });
    await at.core.sales.mediaBuys.update(media_buy_id, (buy) => ({ ...buy, open_change: null }));
    expect(await ask('update_media_buy', noPause)).toMatchObject({ status: 'completed' });
  });

  it('[D2] a request is held against what its key stands for before what it says is judged', async () => {
    const { media_buy_id } = await booked();
    const pause = change(media_buy_id, { paused: true });
    await ask('update_media_buy', pause);
    const other = await ask('update_media_buy', { ...pause, packages: [{ package_id: 'p', canceled: true }] });
    expect(other).toMatchObject({ adcp_error: { code: 'IDEMPOTENCY_CONFLICT' } });
  });
});
