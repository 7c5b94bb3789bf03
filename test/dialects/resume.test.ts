import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MediaBuyId } from '../../src/sales/media-buy/media-buy-id.ts';
import type { Json } from '../journeys/support/buyer.ts';
import { operate } from '../journeys/support/operator.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { textOf, visitorOf } from '../admin/console/support/visitor.ts';
import { refusal, result } from '../tasks/support/calls.ts';
import { describeOnStores } from '../support/stores.ts';
import { until } from '../support/until.ts';
import { accountOf, orderOf, packageForSale } from './support/booking.ts';
import { openPublicAgent } from './support/public-agent.ts';
import type { AskPublic } from './support/public-agent.ts';
import { RELEASES } from './support/public-call.ts';
import type { Release } from './support/public-call.ts';

const account = accountOf('acme.example');
const BANNER = {
  name: 'Banner',
  assets: { image: { url: 'https://cdn.acme.example/trail.png', width: 300, height: 250 } },
};

describeOnStores('[D3.changes] [B2.resumed] a media buy that waits for creatives, on %s,', (store) => {
  let at: TestAgent;
  let ask: AskPublic;
  let line: Json;
  beforeAll(async () => {
    ({ at, ask } = await openPublicAgent(store, { env: { CREATIVE_REVIEW_SECONDS: '0' } }));
    line = await packageForSale(at);
  });
  afterAll(() => at.stop());

  /** Calls, and holds the answer against the official schema. */
  const change = (release: Release, media_buy_id: unknown, more: Json) =>
    ask(release, 'update_media_buy', { account, media_buy_id, idempotency_key: randomUUID(), ...more });
  const inPublic = async (release: Release, media_buy_id: unknown) =>
    ((await ask(release, 'get_media_buys', { account, media_buy_ids: [media_buy_id] }))['media_buys'] as Json[])[0];
  async function inOurs(media_buy_id: unknown): Promise<Json> {
    const { media_buys } = (await result(at, 'get_media_buys', { media_buy_ids: [media_buy_id] })) as {
      media_buys: Json[];
    };
    return media_buys[0] ?? expect.unreachable();
  }
  /** A creative of its own for the only package, which is reviewed at once. */
  const supply = ({ media_buy_id, packages }: Json) =>
    result(at, 'update_media_buy', {
      media_buy_id,
      updates: {
        packages: [
          {
            package_id: (packages as Json[])[0]?.['package_id'],
            creative_ids: [`banner-${String(media_buy_id)}`],
          },
        ],
      },
    });
  const sync = ({ media_buy_id }: Json) =>
    result(at, 'sync_creatives', {
      creatives: [
        {
          ...{ ...BANNER, creative_id: `banner-${String(media_buy_id)}` },
          format_id: { agent_url: at.baseUrl, id: 'display_300x250' },
        },
      ],
    });
  const running = async (media_buy_id: unknown) => {
    const held = await at.core.sales.adServer.read(MediaBuyId.parse(media_buy_id));
    return held.found && held.state === 'running';
  };

  it.each(RELEASES)(
    'is paused and resumed in %s, shows as it waits, and runs with its creatives, never before',
    async (release) => {
      const made = await ask(release, 'create_media_buy', orderOf(line));
      const { media_buy_id } = made;
      const status = { media_buy_status: 'pending_creatives' };
      const paused = await change(release, media_buy_id, { paused: true });
      expect(paused).toMatchObject(status);
      expect(paused['valid_actions']).toContain('resume');
      expect(paused['valid_actions']).not.toContain('pause');
      expect(await inOurs(media_buy_id)).toMatchObject({ status: 'paused' });
      expect((await inOurs(media_buy_id))['valid_actions']).not.toContain('resume');

      const resumed = await change(release, media_buy_id, { paused: false });
      expect(resumed).toMatchObject({ ...status, revision: Number(paused['revision']) + 1 });
      expect(resumed['valid_actions']).toContain('pause');
      expect(resumed['valid_actions']).not.toContain('resume');
      const again = await change(release, media_buy_id, { paused: false });
      expect(again).toMatchObject({ ...status, revision: resumed['revision'], affected_packages: [] });
      expect(await inPublic(release, media_buy_id)).toMatchObject({ status: 'pending_creatives' });
      expect(await running(media_buy_id)).toBe(false);
      const { body: seen } = await operate(at, 'GET', `/media-buys/${String(media_buy_id)}`);
      expect(seen).toMatchObject({ status: 'paused', resumes: true });
      const { html } = await (await visitorOf(at, 'viewer')).get(`/buys/${String(media_buy_id)}`);
      expect(textOf(html)).toContain('resumed by its buyer');

      await sync(made);
      await supply(made);
      await until(async () => (await inOurs(media_buy_id))['status'] === 'active');
      expect(await running(media_buy_id)).toBe(true);
      expect(await inPublic(release, media_buy_id)).toMatchObject({ status: 'active' });
    },
  );

  it.each(RELEASES)(
    '[B2.hold] or runs and is held back by the seller, is paused by its buyer in %s, and stays so when it is released',
    async (release) => {
      const made = await ask(release, 'create_media_buy', orderOf(line));
      const { media_buy_id } = made;
      await sync(made);
      await supply(made);
      await until(async () => (await inOurs(media_buy_id))['status'] === 'active');
      const path = `/media-buys/${String(media_buy_id)}`;
      expect((await operate(at, 'POST', `${path}/hold`, { reason: 'the page is down' })).status).toBe(200);
      await until(async () => (await inOurs(media_buy_id))['status'] === 'paused');
      expect((await inOurs(media_buy_id))['valid_actions']).toContain('pause');
      const refused = await change(release, media_buy_id, { paused: false });
      expect(refused).toMatchObject({
        adcp_error: { message: expect.stringContaining('the page is down') as unknown },
      });
      const { revision } = await inOurs(media_buy_id);
      const paused = await change(release, media_buy_id, { paused: true });
      expect(paused).toMatchObject({ media_buy_status: 'paused', revision: Number(revision) + 1 });
      expect((await inOurs(media_buy_id))['valid_actions']).not.toContain('pause');
      expect((await operate(at, 'POST', `${path}/release`, {})).status).toBe(200);
      expect(await inOurs(media_buy_id)).toMatchObject({ status: 'paused' });
      expect(await running(media_buy_id)).toBe(false);
      expect((await inOurs(media_buy_id))['valid_actions']).toContain('resume');
    },
  );

  it('that is paused again, resumed and paused in our own words stays so when its creatives stand', async () => {
    const made = await ask('3.1', 'create_media_buy', orderOf(line));
    const { media_buy_id } = made;
    await change('3.1', media_buy_id, { paused: true });
    await change('3.1', media_buy_id, { paused: false });
    const paused = await change('3.1', media_buy_id, { paused: true });
    expect(paused['valid_actions']).toContain('resume');
    await change('3.1', media_buy_id, { paused: false });
    expect((await inOurs(media_buy_id))['valid_actions']).toContain('pause');
    const updates = { status: 'paused' };
    expect(await result(at, 'update_media_buy', { media_buy_id, updates })).toMatchObject({ status: 'paused' });
    expect(await refusal(at, 'update_media_buy', { media_buy_id, updates })).toMatchObject({ code: 'INVALID_STATE' });
    await sync(made);
    await supply(made);
    await until(async () => ((await inOurs(media_buy_id))['valid_actions'] as string[]).includes('resume'));
    expect(await inPublic('3.1', media_buy_id)).toMatchObject({ status: 'paused' });
    expect(await running(media_buy_id)).toBe(false);
    const runs = await change('3.1', media_buy_id, { paused: false });
    expect(runs).toMatchObject({ media_buy_status: 'active' });
  });

  it('[B9.valid-actions] cannot be resumed in our own words until it can run, as ever', async () => {
    const { media_buy_id } = await ask('3.1', 'create_media_buy', orderOf(line));
    await change('3.1', media_buy_id, { paused: true });
    const asked = { media_buy_id, updates: { status: 'active' } };
    const told = { code: 'INVALID_STATE', field: 'updates.status' };
    expect(await refusal(at, 'update_media_buy', asked)).toMatchObject(told);
    await change('3.1', media_buy_id, { paused: false });
    expect(await refusal(at, 'update_media_buy', asked)).toMatchObject(told);
    const over = await change('3.1', media_buy_id, { canceled: true });
    expect(over).toMatchObject({ media_buy_status: 'canceled' });
  });
});
