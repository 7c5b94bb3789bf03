import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../journeys/support/buyer.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { accountOf, orderOf } from './support/booking.ts';
import { bodyOf, callPublic, schemaErrors } from './support/public-call.ts';

interface Option {
  format_option_id: string;
  format_kind: string;
  params: Json & { slots: { asset_group_id: string; asset_type: string; required: boolean }[] };
  v1_format_ref: { agent_url: string; id: string }[];
}
interface Offer {
  product_id: string;
  pricing_options: { pricing_option_id: string; pricing_model: string; fixed_price?: number }[];
  format_ids: { id: string }[];
  format_options?: Option[];
}

const RELEASE = '3.1';
const account = accountOf('acme.example');
const image = { asset_type: 'image', url: 'https://cdn.acme.example/trail.jpg', width: 300, height: 250 };
const banner = { name: 'Trail', format_kind: 'image', assets: { image } };
const named = (format_option_id: string) => ({ scope: 'product', format_option_id });

let at: TestAgent;
let offers: Offer[];
beforeAll(async () => {
  at = await startTestAgent('sqlite', { env: { CREATIVE_REVIEW_SECONDS: '0' } });
  const body = await ask('get_products', { buying_mode: 'wholesale', pagination: { max_results: 100 } });
  offers = body['products'] as Offer[];
});
afterAll(() => at.stop());

/** Calls, and holds the answer against the official schema. */
async function ask(skill: string, parameters: Json, release: '3.0' | '3.1' = RELEASE): Promise<Json> {
  const body = bodyOf(await callPublic(at, skill, { adcp_version: release, ...parameters }));
  expect(schemaErrors(skill, release, body)).toEqual([]);
  return body;
}

const sync = (creatives: Json[], more: Json = {}) =>
  ask('sync_creatives', { account, idempotency_key: randomUUID(), creatives, ...more });
const formatListed = async (creative_id: string) => {
  const { creatives } = await ask('list_creatives', { filters: { creative_ids: [creative_id] } });
  return (creatives as { format_id: { id: string } }[]).map(({ format_id }) => format_id.id);
};
/** A package of a product that takes banners of 300x250; or else of one that takes no images. */
function lineOf(isTaken: boolean, more: Json = {}): Json {
  const found = offers.find(({ pricing_options: [option], format_options = [] }) => {
    const isCpm = option?.pricing_model === 'cpm' && option.fixed_price !== undefined;
    const isImage = format_options.some(({ format_kind }) => format_kind === 'image');
    const isBanner = format_options.some(({ format_option_id }) => format_option_id === 'display_300x250');
    return isCpm && (isTaken ? isBanner : !isImage);
  });
  if (found === undefined) throw new Error('there is no such product');
  const { product_id, pricing_options } = found;
  return { product_id, pricing_option_id: pricing_options[0]?.pricing_option_id, budget: 20_000, ...more };
}

describe('[D3.formats] products', () => {
  it('say each of their formats as a canonical one, with the assets that it takes', async () => {
    const { formats } = await ask('list_creative_formats', { pagination: { max_results: 100 } });
    const rows = formats as { format_id: { id: string }; assets: { asset_id: string; asset_type: string }[] }[];
    expect(offers.length).toBeGreaterThan(3);
    for (const { format_ids, format_options = [] } of offers) {
      expect(format_options.map((option) => option.v1_format_ref[0]?.id)).toEqual(format_ids.map(({ id }) => id));
      expect(new Set(format_options.map((option) => option.format_option_id)).size).toBe(format_options.length);
      for (const { v1_format_ref, params } of format_options) {
        const row = rows.find(({ format_id }) => format_id.id === v1_format_ref[0]?.id);
        const slots = params.slots.map(({ asset_group_id, asset_type }) => [asset_group_id, asset_type]);
        expect(slots).toEqual(row?.assets.map(({ asset_id, asset_type }) => [asset_id, asset_type]));
      }
    }
  });

  it('are of the kind that their assets must have, not of what may come beside', () => {
    const kinds = new Map(
      offers.flatMap(({ format_options = [] }) => format_options.map((o) => [o.format_option_id, o])),
    );
    expect(kinds.get('native_sponsored_content')).toMatchObject({ format_kind: 'native_in_feed' });
    expect(kinds.get('video_vast_30s')).toMatchObject({ format_kind: 'video_vast' });
    expect(kinds.get('display_300x250')).toMatchObject({ format_kind: 'image', params: { width: 300, height: 250 } });
    const read = { format_kind: 'audio_hosted', params: { asset_source: 'publisher_host_recorded' } };
    expect(kinds.get('audio_host_read')).toMatchObject(read);
  });

  it('say nothing of them in 3.0, which has no word for it', async () => {
    const { products } = await ask('get_products', { buying_mode: 'wholesale' }, '3.0');
    expect((products as Json[]).some((product) => 'format_options' in product)).toBe(false);
  });
});

describe('[D3.formats] a creative by its canonical kind', () => {
  it('is taken as the option that it names', async () => {
    const creative = { ...banner, creative_id: 'by-option', format_option_ref: named('display_300x250') };
    expect(await sync([creative])).toMatchObject({ creatives: [{ creative_id: 'by-option', action: 'created' }] });
    expect(await formatListed('by-option')).toEqual(['display_300x250']);
  });

  it('is taken as the only option that its assets fit', async () => {
    expect(await sync([{ ...banner, creative_id: 'by-size' }])).toMatchObject({ creatives: [{ action: 'created' }] });
    expect(await formatListed('by-size')).toEqual(['display_300x250']);
  });

  it.each([
    ['a kind that nobody takes', { format_kind: 'image_carousel' }, 'format_kind', /one of .*html5/],
    ['assets that fit no option', { assets: { image: { ...image, width: 301 } } }, 'format_kind', /display_300x250/],
    ['an option that is not there', { format_option_ref: named('none') }, 'format_option_ref', /display_300x250/],
    [
      'an option of a publisher’s own',
      { format_option_ref: { ...named('display_300x250'), scope: 'publisher', publisher_domain: 'pub.example' } },
      'format_option_ref',
      /display_300x250/,
    ],
  ])('is refused for %s, and nothing is stored', async (_, more, field, suggestion) => {
    const creatives = [
      { ...banner, creative_id: 'fine' },
      { ...banner, creative_id: 'odd', ...more },
    ];
    const error = { code: 'UNSUPPORTED_FEATURE', field: `creatives[1].${field}` };
    const body = await sync(creatives);
    expect(body).toMatchObject({ adcp_error: error });
    expect((body['adcp_error'] as { suggestion: string }).suggestion).toMatch(suggestion);
    expect(await formatListed('fine')).toEqual([]);
  });

  it.each([
    ['beside a format_id', { format_id: { agent_url: 'https://formats.example', id: 'x' } }],
    ['of another kind than its option', { format_option_ref: named('html5_300x250') }],
  ])('is refused %s', async (_, more) => {
    const body = await sync([{ ...banner, creative_id: 'odd', ...more }]);
    expect(body).toMatchObject({ adcp_error: { code: 'INVALID_REQUEST', field: 'creatives[0].format_kind' } });
  });

  it('is told of by itself in validation_mode lenient, and stops no other', async () => {
    const odd = { ...banner, creative_id: '__proto__', format_kind: 'sponsored_placement' };
    const body = await sync([odd, { ...banner, creative_id: 'beside' }], { validation_mode: 'lenient' });
    const errors = [{ code: 'UNSUPPORTED_FEATURE', field: 'creatives[0].format_kind' }];
    expect(body['creatives']).toMatchObject([
      { creative_id: '__proto__', action: 'failed', errors },
      { creative_id: 'beside', action: 'created' },
    ]);
  });

  it('is a creative without a format in 3.0', async () => {
    const creatives = [{ ...banner, creative_id: 'old' }];
    const body = await ask('sync_creatives', { account, idempotency_key: randomUUID(), creatives }, '3.0');
    expect(body).toMatchObject({ adcp_error: { field: 'creatives[0].format_id' } });
  });
});

describe('[D3.formats] a package', () => {
  const book = (line: Json, more: Json = {}) => ask('create_media_buy', orderOf(line, more));

  it('takes a creative along by its kind, and tells by which formats it was booked', async () => {
    const creatives = [{ ...banner, creative_id: 'along', format_option_ref: named('display_300x250') }];
    const refs = [named('display_300x250')];
    const made = await book(lineOf(true, { creatives, format_option_refs: refs }));
    expect(made['packages']).toMatchObject([
      { creative_assignments: [{ creative_id: 'along' }], format_option_refs: refs },
    ]);
    const { media_buys } = await ask('get_media_buys', { media_buy_ids: [made['media_buy_id']] });
    expect(media_buys).toMatchObject([{ packages: [{ format_option_refs: refs }] }]);
  });

  it('takes a kind with the params of an option', async () => {
    const wanted = { format_kind: 'image', params: { width: 300, height: 250 } };
    expect(await book(lineOf(true, wanted))).toMatchObject({ packages: [wanted] });
  });

  it.each([
    ['a creative', { creatives: [{ ...banner, creative_id: 'odd' }] }, 'creatives[0].format_kind'],
    ['a kind', { format_kind: 'image', params: { width: 300, height: 250 } }, 'format_kind'],
    ['an option', { format_option_refs: [named('display_300x250')] }, 'format_option_refs[0]'],
    ['a format', { format_ids: [{ agent_url: 'https://formats.example', id: 'none' }] }, 'format_ids[0]'],
  ])('is refused by path for %s that its product does not take', async (_, more, field) => {
    const line = lineOf(false, more);
    const error = { code: 'UNSUPPORTED_FEATURE', field: `packages[0].${field}` };
    expect(await book(line)).toMatchObject({ adcp_error: error });
  });

  it('is refused for a kind that says too little for a fixed size', async () => {
    const error = { code: 'UNSUPPORTED_FEATURE', field: 'packages[0].format_kind' };
    expect(await book(lineOf(true, { format_kind: 'image' }))).toMatchObject({ adcp_error: error });
  });

  it('is held to the same where it is added', async () => {
    const { media_buy_id } = await book(lineOf(true));
    const new_packages = [lineOf(false, { creatives: [{ ...banner, creative_id: 'odd' }] })];
    const body = await ask('update_media_buy', { account, media_buy_id, idempotency_key: randomUUID(), new_packages });
    const field = 'new_packages[0].creatives[0].format_kind';
    expect(body).toMatchObject({ adcp_error: { code: 'UNSUPPORTED_FEATURE', field } });
  });
});
