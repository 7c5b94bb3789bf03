import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Json } from '../journeys/support/buyer.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { describeOnStores } from '../support/stores.ts';
import { organizationId } from '../support/ids.ts';
import { until } from '../support/until.ts';
import { accountOf, orderOf, packageForSale } from './support/booking.ts';
import { bodyOf, callPublic, RELEASES, schemaErrors } from './support/public-call.ts';
import type { Release } from './support/public-call.ts';

const account = accountOf('acme.example');
const industry_identifiers = [{ type: 'ad_id', value: 'ACME1234000H' }];
const provenance = { digital_source_type: 'digital_capture', declared_by: { role: 'advertiser' } };

describeOnStores('[D4.creative-words] what is said of a creative besides, on %s,', (store) => {
  let at: TestAgent;
  beforeAll(async () => {
    at = await startTestAgent(store, { env: { CREATIVE_REVIEW_SECONDS: '0' } });
  });
  afterAll(() => at.stop());

  const banner = (creative_id: string, more: Json = {}): Json => ({
    ...{ creative_id, name: 'Banner', format_id: { agent_url: at.baseUrl, id: 'display_300x250' } },
    assets: {
      image: { asset_type: 'image', url: 'https://cdn.acme.example/trail.png', width: 300, height: 250 },
    },
    ...more,
  });
  async function ask(release: Release, skill: string, parameters: Json): Promise<Json> {
    const body = bodyOf(await callPublic(at, skill, { adcp_version: release, ...parameters }));
    expect(schemaErrors(skill, release, body)).toEqual([]);
    return body;
  }
  const sync = async (release: Release, creative: Json, more: Json = {}) => {
    const asked = { account, idempotency_key: randomUUID(), creatives: [creative], ...more };
    return ((await ask(release, 'sync_creatives', asked))['creatives'] as Json[])[0];
  };
  const told = async (release: Release, creative_id: string) => {
    const { creatives } = await ask(release, 'list_creatives', { account, filters: { creative_ids: [creative_id] } });
    return (creatives as Json[])[0];
  };

  it.each(RELEASES)('is kept by a sync of %s, told again, and gone when it is said no more', async (release) => {
    const id = `synced-${release}`;
    const said = { industry_identifiers, provenance };
    expect(await sync(release, banner(id, said))).toMatchObject({ action: 'created' });
    expect(await told(release, id)).toMatchObject(said);
    expect(await sync(release, banner(id, said))).toMatchObject({ action: 'unchanged' });
    const other = [{ type: 'isci', value: 'ACME0001' }];
    const renamed = await sync(release, banner(id, { ...said, industry_identifiers: other }));
    expect(renamed).toMatchObject({ action: 'updated', changes: ['industry_identifiers'] });
    const { creatives } = await ask(release, 'list_creatives', { account, fields: ['creative_id', 'provenance'] });
    expect((creatives as Json[]).find(({ creative_id }) => creative_id === id)).toMatchObject({ provenance });
    expect(await sync(release, banner(id))).toMatchObject({ changes: ['industry_identifiers', 'provenance'] });
    const bare = await told(release, id);
    expect(bare).not.toHaveProperty('provenance');
    expect(bare).not.toHaveProperty('industry_identifiers');
  });

  it('begins a new review where it says that the content comes from elsewhere, and by nothing else', async () => {
    const row = async () =>
      (
        await at.core.sales.creatives.find({
          where: { organization_id: organizationId('org_demo_buyer'), creative_id: 'origin' },
          limit: 1,
        })
      ).rows[0];
    await sync('3.1', banner('origin', { provenance }));
    await until(async () => (await row())?.status === 'approved');
    await sync('3.1', banner('origin', { provenance, industry_identifiers }));
    expect(await row()).toMatchObject({ version: 1, status: 'approved' });
    const made = { ...provenance, digital_source_type: 'trained_algorithmic_media' };
    expect(await sync('3.1', banner('origin', { provenance: made, industry_identifiers }))).toMatchObject({
      status: 'pending_review',
    });
    expect(await row()).toMatchObject({ version: 2, said: { provenance: made, industry_identifiers } });
  });

  it.each(RELEASES)('is kept of creatives that a package of %s brings, booked, changed or added', async (release) => {
    const line = await packageForSale(at);
    const [first, second, third] = ['a', 'b', 'c'].map((name) => `${name}-${release}`) as [string, string, string];
    const made = await ask(
      release,
      'create_media_buy',
      orderOf({ ...line, creatives: [banner(first, { provenance })] }),
    );
    const { media_buy_id } = made;
    const [{ package_id }] = made['packages'] as [{ package_id: string }];
    await ask(release, 'update_media_buy', {
      ...{ account, media_buy_id, idempotency_key: randomUUID() },
      packages: [{ package_id, creatives: [banner(second, { industry_identifiers })] }],
      new_packages: [{ ...line, creatives: [banner(third, { provenance })] }],
    });
    expect(await told(release, first)).toMatchObject({ provenance });
    expect(await told(release, second)).toMatchObject({ industry_identifiers });
    expect(await told(release, third)).toMatchObject({ provenance });
    const buy = await at.core.sales.mediaBuys.get(String(media_buy_id));
    expect(buy?.asked).not.toHaveProperty('creatives');
    const twice = [banner('twice', { provenance }), banner('twice')].map((one) => ({ ...line, creatives: [one] }));
    expect(await ask(release, 'create_media_buy', orderOf(line, { packages: twice }))).toMatchObject({
      adcp_error: { code: 'INVALID_REQUEST', field: 'creatives' },
    });
  });

  it.each(RELEASES)(
    'is refused of %s where it would change what is shown: of one creative alone, where it is asked so',
    async (release) => {
      const rights = [{ rights_id: 'r', rights_agent: { url: 'https://r.example', id: 'r' }, uses: ['likeness'] }];
      const error = { code: 'UNSUPPORTED_FEATURE', field: 'creatives[0].rights' };
      const asked = { account, idempotency_key: randomUUID(), creatives: [banner('held', { rights })] };
      expect(await ask(release, 'sync_creatives', asked)).toMatchObject({ adcp_error: error });
      const lenient = await sync(release, banner('held', { rights }), { validation_mode: 'lenient' });
      expect(lenient).toMatchObject({ action: 'failed' });
      for (const status of ['approved', 'pending_review'])
        expect(await sync(release, banner(`as-${release}`, { status }))).not.toMatchObject({ action: 'failed' });
    },
  );
});
