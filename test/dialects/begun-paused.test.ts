import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MediaBuyId } from '../../src/sales/media-buy/media-buy-id.ts';
import type { Json } from '../journeys/support/buyer.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { makeBuy, refusal } from '../tasks/support/calls.ts';
import { describeOnStores } from '../support/stores.ts';
import { organizationId } from '../support/ids.ts';
import { until } from '../support/until.ts';
import { accountOf, orderOf, packageForSale } from './support/booking.ts';
import { bodyOf, callPublic, RELEASES, schemaErrors } from './support/public-call.ts';
import type { Release } from './support/public-call.ts';

const account = accountOf('acme.example');
const COSTLY = 60_000;

describeOnStores('[B2.begun-paused] what is booked paused, on %s,', (store) => {
  let at: TestAgent;
  let line: Json;
  beforeAll(async () => {
    at = await startTestAgent(store, { env: { CREATIVE_REVIEW_SECONDS: '0', APPROVAL_OVER: 'USD:50000' } });
    const creatives = [{ creative_id: 'ready', name: 'Ready', ...banner() }];
    await ask('3.1', 'sync_creatives', { account, idempotency_key: randomUUID(), creatives });
    await until(async () => (await at.core.sales.creatives.count({ status: 'approved' })) > 0);
    line = { ...(await packageForSale(at)), creative_assignments: [{ creative_id: 'ready' }] };
  });
  afterAll(() => at.stop());

  const banner = () => ({
    format_id: { agent_url: at.baseUrl, id: 'display_300x250' },
    assets: {
      image: { asset_type: 'image', url: 'https://cdn.acme.example/trail.png', width: 300, height: 250 },
    },
  });
  async function ask(release: Release, skill: string, parameters: Json): Promise<Json> {
    const body = bodyOf(await callPublic(at, skill, { adcp_version: release, ...parameters }));
    expect(schemaErrors(skill, release, body)).toEqual([]);
    return body;
  }
  const change = (release: Release, media_buy_id: unknown, more: Json) =>
    ask(release, 'update_media_buy', { account, media_buy_id, idempotency_key: randomUUID(), ...more });
  const stored = async (media_buy_id: unknown) =>
    (await at.core.sales.mediaBuys.get(String(media_buy_id))) ?? expect.unreachable();
  const held = async (media_buy_id: unknown) => {
    const found = await at.core.sales.adServer.read(MediaBuyId.parse(media_buy_id));
    return found.found ? found : expect.unreachable();
  };
  const isTold = async (media_buy_id: unknown) => {
    const { open_change, stop } = await stored(media_buy_id);
    return !open_change && !stop;
  };

  it.each(RELEASES)(
    'a media buy of %s, holds its inventory, never ran, and runs once it is resumed',
    async (release) => {
      const made = await ask(release, 'create_media_buy', orderOf(line, { paused: true }));
      const { media_buy_id } = made;
      expect(made).toMatchObject({ media_buy_status: 'paused', packages: [{ paused: false }] });
      expect(made['valid_actions']).toContain('resume');
      await until(() => isTold(media_buy_id));
      expect((await held(media_buy_id)).state).toBe('paused');
      const buy = await stored(media_buy_id);
      expect(buy).toMatchObject({ status: 'paused', pending_reason: null, is_uncommitted: false });
      expect(buy.history.map(({ to_status }) => to_status)).not.toContain('active');
      expect(await change(release, media_buy_id, { paused: false })).toMatchObject({ media_buy_status: 'active' });
      expect((await held(media_buy_id)).state).toBe('running');
    },
  );

  it.each(RELEASES)('a package of %s, stands still while the others run, until it is resumed', async (release) => {
    const packages = [{ ...line, paused: true }, line];
    const made = await ask(release, 'create_media_buy', orderOf(line, { packages }));
    expect(made).toMatchObject({ media_buy_status: 'active', packages: [{ paused: true }, { paused: false }] });
    const { media_buy_id } = made;
    const states = async () => (await held(media_buy_id)).lines.map(({ state }) => state);
    expect(await states()).toEqual(['paused', 'delivering']);
    const [{ package_id }] = made['packages'] as [{ package_id: string }];
    await change(release, media_buy_id, { packages: [{ package_id, paused: false }] });
    expect(await states()).toEqual(['delivering', 'delivering']);
    const added = await change(release, media_buy_id, { new_packages: [{ ...line, budget: 5000, paused: true }] });
    expect(added['affected_packages']).toMatchObject([{ paused: true }]);
    expect(await states()).toEqual(['delivering', 'delivering', 'paused']);
  });

  it('a media buy that waits for a person, stays so when they let it be', async () => {
    const { task_id } = await ask('3.1', 'create_media_buy', orderOf({ ...line, budget: COSTLY }, { paused: true }));
    const { rows } = await at.core.approvals.list({}, { limit: 100 });
    const approval = rows.find((one) => one.task_id === task_id);
    await at.core.approvals.approve(approval?.approval_id ?? '', { by: 'Ada' });
    const id = approval?.media_buy_id;
    await until(async () => (await stored(id)).is_uncommitted === false && (await isTold(id)));
    expect(await stored(id)).toMatchObject({ status: 'paused', pending_reason: null });
    expect((await held(id)).state).toBe('paused');
    // Another name costs nothing, so nobody is asked.
    expect(await change('3.2', id, { name: 'Renamed' })).toMatchObject({ status: 'completed', name: 'Renamed' });
    expect(await change('3.1', id, { paused: false })).toMatchObject({ media_buy_status: 'active' });
  });

  it('a media buy in our own words, waits for its creatives, and stays paused when it has them', async () => {
    const { media_buy_id, status, ...made } = await makeBuy(at, { paused: true });
    expect(status).toBe('paused');
    expect(made['valid_actions']).toContain('cancel');
    await until(() => isTold(media_buy_id));
    expect(await stored(media_buy_id)).toMatchObject({ status: 'paused', pending_reason: 'creatives' });
    expect((await held(media_buy_id)).state).toBe('paused');
  });

  it('a media buy that the ad server refuses, is over, and nothing of it is booked', async () => {
    const buyer_ref = `sim-reject-${randomUUID()}`;
    const example = at.core.runtime.tasks.get('create_media_buy')?.examples[0]?.input;
    expect(await refusal(at, 'create_media_buy', { ...example, buyer_ref, paused: true })).toMatchObject({
      code: 'AD_SERVER_REJECTED',
    });
    const organization_id = organizationId('org_demo_buyer');
    const { rows } = await at.core.sales.mediaBuys.find({ where: { organization_id, buyer_ref }, limit: 1 });
    expect(rows).toMatchObject([{ status: 'canceled', open: false, is_uncommitted: true }]);
  });

  it('a purchase of published products, is booked so, too', async () => {
    const { creative_assignments: _ids, ...bare } = line;
    const { packages: _packages, brand: _brand, ...order } = orderOf(bare, { paused: true });
    const { feed_version } = await ask('3.2', 'list_products', {});
    const bought = await ask('3.2', 'buy_products', { ...order, feed_version, purchases: [bare] });
    expect(await stored(bought['media_buy_id'])).toMatchObject({ status: 'paused', pending_reason: 'creatives' });
  });
});
