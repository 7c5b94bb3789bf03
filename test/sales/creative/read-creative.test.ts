import { describe, expect, it } from 'vitest';
import { readCreative } from '../../../src/sales/creative/read-creative.ts';
import { baseUrl, demoCatalog } from '../support/demo-catalog.ts';

const catalog = await demoCatalog();
const banner = {
  creative_id: 'c1',
  name: 'Trail shoes',
  format_id: { agent_url: baseUrl, id: 'display_300x250' },
  assets: { image: { url: 'https://cdn.acme.example/a.png', width: 300, height: 250 } },
};

function errorsOf(raw: unknown) {
  const read = readCreative(raw, ['creatives', 2], catalog);
  return read.ok ? [] : read.errors;
}

describe('[B11] [B12] a creative as sent', () => {
  it('is read with its format, whether or not the URL of the agent ends in a slash', () => {
    const format_id = { agent_url: `${baseUrl}/`, id: 'display_300x250' };
    const read = readCreative({ ...banner, format_id }, ['creatives', 0], catalog);
    expect(read).toMatchObject({ ok: true, creative: { creative_id: 'c1', tags: [] }, format: { type: 'display' } });
  });

  it('that names a format nobody here takes is told so with the path', () => {
    expect(errorsOf({ ...banner, format_id: { agent_url: baseUrl, id: 'banner_1x1' } })).toEqual([
      expect.objectContaining({ code: 'FORMAT_NOT_FOUND', field: 'creatives[2].format_id', recovery: 'correctable' }),
    ]);
  });

  it('that has unknown keys is told each, with the name that was probably meant', () => {
    expect(errorsOf({ ...banner, asset: {} })).toEqual([
      expect.objectContaining({ code: 'VALIDATION_ERROR', field: 'creatives[2].asset', suggestion: 'assets' }),
    ]);
  });

  it('that does not fit its format gives one error body for each problem, with path and pointer', () => {
    const wrong = { image: { url: 'ftp://cdn.acme.example/a.png', width: 1, height: 250 } };
    expect(errorsOf({ ...banner, assets: wrong })).toEqual([
      expect.objectContaining({
        code: 'VALIDATION_ERROR',
        field: 'creatives[2].assets.image.url',
        message: 'creatives[2].assets.image.url: must be https',
        issues: [{ pointer: '/creatives/2/assets/image/url', message: 'must be https' }],
      }),
      expect.objectContaining({ field: 'creatives[2].assets.image.width' }),
    ]);
  });

  it.each([[null], ['c1'], [[]], [{}], [{ ...banner, assets: [] }], [{ ...banner, name: 7 }]])(
    'that is no creative at all is refused, never thrown: %j',
    (raw) => {
      expect(errorsOf(raw).map(({ code }) => code)).toEqual(['VALIDATION_ERROR']);
    },
  );
});
