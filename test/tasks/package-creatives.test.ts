import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { creativeKey } from '../../src/sales/creative/creative.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { sampleCreative } from '../sales/support/sample-creative.ts';
import { until } from '../support/until.ts';
import { BUYER, makeBuy, refusal, result, STRANGER } from './support/calls.ts';
import type { Json } from './support/calls.ts';

let agent: TestAgent;
beforeAll(async () => {
  agent = await startTestAgent('sqlite', { env: { CREATIVE_REVIEW_SECONDS: '0' } });
  const { organization_id } = BUYER;
  const agent_url = agent.baseUrl;
  const format = (id: string) => ({ format_id: { agent_url, id } });
  for (const row of [
    sampleCreative({ organization_id, creative_id: 'ready', ...format('display_300x250') }),
    sampleCreative({ organization_id, creative_id: 'gone', status: 'archived', ...format('display_300x250') }),
    sampleCreative({ organization_id, creative_id: 'film', format_type: 'video', ...format('video_15s_16x9') }),
    sampleCreative({ organization_id: STRANGER.organization_id, creative_id: 'theirs', ...format('display_300x250') }),
  ]) {
    await agent.core.sales.creatives.insert(row);
  }
});
afterAll(() => agent.stop());

/** A package that takes banners of 300×250. */
function line(more: Json): Json {
  return {
    product_id: 'gazette_run_of_site',
    pricing_option_id: optionOf('gazette_run_of_site'),
    budget: 5000,
    ...more,
  };
}

function optionOf(product_id: string): string {
  const options = agent.core.catalog.products.get(product_id)?.pricing_options ?? [];
  return options.find(({ pricing_model }) => pricing_model === 'cpm')?.pricing_option_id ?? '';
}

function banner(creative_id: string, changes: Json = {}): Json {
  const image = { url: 'https://cdn.acme.example/a.png', width: 300, height: 250, ...changes };
  return {
    ...{ creative_id, name: creative_id, assets: { image } },
    format_id: { agent_url: agent.baseUrl, id: 'display_300x250' },
  };
}

async function refused(packages: Json[]) {
  const example = agent.core.runtime.tasks.get('create_media_buy')?.examples[0]?.input;
  return refusal(agent, 'create_media_buy', { ...example, buyer_ref: `ref-${randomUUID()}`, packages });
}

describe('[B13] [B11] creatives that packages name', () => {
  it('must be the caller’s, fit the product and not be archived; every problem has its path', async () => {
    const error = await refused([
      line({ creative_ids: ['ready', 'nobody', 'theirs'] }),
      line({ creative_ids: ['gone', 'film'] }),
    ]);
    expect(error).toMatchObject({
      code: 'CREATIVE_NOT_FOUND',
      field: 'packages[0].creative_ids[1]',
      issues: [
        { pointer: '/packages/0/creative_ids/1' },
        { pointer: '/packages/0/creative_ids/2' },
        { pointer: '/packages/1/creative_ids/0', message: expect.stringContaining('archived') as string },
        { pointer: '/packages/1/creative_ids/1', message: expect.stringContaining('does not take') as string },
      ],
    });
  });

  it('let the buy begin at once when each package has an approved one', async () => {
    expect(await makeBuy(agent, { packages: [line({ creative_ids: ['ready', 'ready'] })] })).toMatchObject({
      status: 'active',
      packages: [{ creative_ids: ['ready'] }],
    });
  });
});

describe('[B11] creatives that packages bring', () => {
  it('are stored with the buy, reviewed, and let it begin', async () => {
    const id = `new-${randomUUID()}`;
    const packages = [line({ creatives: [banner(id)] }), line({ creative_ids: [id], creatives: [banner(id)] })];
    const { media_buy_id, packages: made } = await makeBuy(agent, { packages });
    expect(made.map(({ creative_ids }) => creative_ids)).toEqual([[id], [id]]);
    await until(async () => (await agent.core.sales.mediaBuys.get(media_buy_id))?.status === 'active');
    const creative = await agent.core.sales.creatives.get(creativeKey(BUYER.organization_id, id));
    expect(creative).toMatchObject({ status: 'approved', version: 1 });
    const { creatives } = (await result(agent, 'list_creatives', { filters: { creative_ids: [id] } })) as {
      creatives: Json[];
    };
    expect(creatives[0]?.['assignments']).toMatchObject({ assignment_count: 2 });
  });

  it('are refused with the whole buy when they do not fit, every problem with its path, and nothing is stored', async () => {
    const error = await refused([
      line({ creatives: [banner('odd', { width: 1, url: 'http://cdn.acme.example/a.png' })] }),
      line({ creatives: [{ ...banner('odd'), format_id: { agent_url: agent.baseUrl, id: 'ctv_15s' } }] }),
    ]);
    expect(error).toMatchObject({ code: 'VALIDATION_ERROR', field: 'packages[0].creatives[0].assets.image.url' });
    expect(error.issues?.map(({ pointer }) => pointer)).toEqual([
      '/packages/0/creatives/0/assets/image/url',
      '/packages/0/creatives/0/assets/image/width',
      '/packages/1/creatives/0/creative_id',
      '/packages/1/creatives/0/assets/video',
      '/packages/1/creatives/0/assets/image',
    ]);
    expect(await agent.core.sales.creatives.get(creativeKey(BUYER.organization_id, 'odd'))).toBeUndefined();
  });

  it('must be of a format that the product takes, and of one that is taken here at all', async () => {
    const wide = { ...banner('wide', { width: 970 }), format_id: { agent_url: agent.baseUrl, id: 'display_970x250' } };
    expect(await refused([line({ creatives: [wide] })])).toMatchObject({
      code: 'INVALID_REQUEST',
      field: 'packages[0].creatives[0].format_id',
    });
    const foreign = { ...banner('foreign'), format_id: { agent_url: 'https://else.example', id: 'display_300x250' } };
    expect(await refused([line({ creatives: [foreign] })])).toMatchObject({
      code: 'FORMAT_NOT_FOUND',
      field: 'packages[0].creatives[0].format_id',
    });
  });

  it('are not stored where the ad server refuses the buy, nor where it refuses the change', async () => {
    const ids = [`refused-${randomUUID()}`, `refused-${randomUUID()}`];
    const [first = '', second = ''] = ids;
    const buyer_ref = `sim-reject-${randomUUID()}`;
    const example = agent.core.runtime.tasks.get('create_media_buy')?.examples[0]?.input;
    const input = { ...example, buyer_ref, packages: [line({ creatives: [banner(first)] })] };
    const rejected = { code: 'AD_SERVER_REJECTED' };
    expect(await refusal(agent, 'create_media_buy', input)).toMatchObject(rejected);
    const { media_buy_id, packages } = await makeBuy(agent, { packages: [line({})] });
    const { package_id } = packages[0] as { package_id: string };
    const updates = {
      packages: [{ package_id, creatives: [banner(second)] }],
      new_packages: [line({ buyer_ref: 'sim-reject', creatives: [banner(first)] })],
    };
    expect(await refusal(agent, 'update_media_buy', { media_buy_id, updates })).toMatchObject(rejected);
    for (const id of ids) {
      expect(await agent.core.sales.creatives.get(creativeKey(BUYER.organization_id, id))).toBeUndefined();
    }
  });
});
