import { describe, expect, it } from 'vitest';
import { formatOf } from '../../../src/sales/catalog.ts';
import type { Format } from '../../../src/sales/format/format.ts';
import { checkAssets } from '../../../src/sales/creative/asset-check.ts';
import type { AssetInput } from '../../../src/sales/creative/creative-input.ts';
import { baseUrl, demoCatalog } from '../support/demo-catalog.ts';

const catalog = await demoCatalog();

function format(id: string): Format {
  const found = formatOf(catalog, { agent_url: baseUrl, id });
  if (found === undefined) throw new Error(`the demo catalog has no format ${id}`);
  return found;
}

/** The format with one rule changed. */
function bent(id: string, key: string, change: Partial<Format['assets'][string]>): Format {
  const whole = format(id);
  const rule = whole.assets[key];
  if (rule === undefined) throw new Error(`${id} has no asset ${key}`);
  return { ...whole, assets: { ...whole.assets, [key]: { ...rule, ...change } } };
}

const image: AssetInput = { url: 'https://cdn.acme.example/a.png', width: 300, height: 250 };
const video: AssetInput = { url: 'https://cdn.acme.example/a.mp4', width: 1920, height: 1080, duration_ms: 15_000 };
const native: Record<string, AssetInput> = {
  image: { url: 'https://cdn.acme.example/n.jpg', width: 1200, height: 627 },
  headline: { content: 'Made for mud' },
  body: { content: 'Shoes that hold on wet rock.' },
  sponsor: { content: 'Acme Outdoor' },
  click_url: { url: 'https://acme.example/shoes?x=1' },
};

function told(id: string | Format, assets: Record<string, AssetInput>): string[] {
  return checkAssets(typeof id === 'string' ? format(id) : id, assets).map(
    ({ path, message }) => `${path.join('.')}: ${message}`,
  );
}

describe('[B11] assets that fit their format', () => {
  it.each<[string, string, Record<string, AssetInput>]>([
    ['a banner', 'display_300x250', { image }],
    ['a banner that says what it is', 'display_300x250', { image: { ...image, asset_type: 'image', kind: 'image' } }],
    ['members beyond those that are checked', 'display_300x250', { image: { ...image, alt_text: 'A shoe' } }],
    ['a URL whose media type nothing tells', 'display_300x250', { image: { ...image, url: 'https://cdn.example/a' } }],
    ['a media type under another name', 'display_300x250', { image: { ...image, mime_type: 'image/JPG; q=1' } }],
    ['a video half a second off', 'video_15s_16x9', { video: { ...video, duration_ms: 15_500 } }],
    ['a bitrate within bounds', 'video_15s_16x9', { video: { ...video, bitrate_kbps: 2000 } }],
    ['a native ad', 'native_responsive', native],
    ['html inline', 'html5_300x250', { html: { content: '<p>Hi</p>', width: 300, height: 250 } }],
    ['html as an archive', 'html5_300x250', { html: { url: 'https://cdn.example/a.zip', width: 300, height: 250 } }],
    ['a VAST tag by URL', 'video_vast_30s', { vast: { url: 'https://ads.example/vast?id=7' } }],
    ['a VAST tag inline', 'video_vast_30s', { vast: { content: '<VAST version="4.2"/>' } }],
    [
      'text of the greatest length, in characters',
      'audio_host_read',
      { talking_points: { content: '😀'.repeat(1500) } },
    ],
  ])('%s', (_, id, assets) => {
    expect(told(id, assets)).toEqual([]);
  });
});

describe('[B11] is refused, and told where and how to mend it:', () => {
  it.each<[string, string | Format, Record<string, AssetInput>, string[]]>([
    [
      'a required asset left out',
      'display_300x250',
      {},
      ['image: required by format display_300x250; send an image asset'],
    ],
    [
      'an asset the format does not have',
      'display_300x250',
      { image, imgae: image },
      ['imgae: format display_300x250 has no such asset; it has image, click_url, alt_text'],
    ],
    [
      'an asset named like a member every object has',
      'display_300x250',
      { image, constructor: image },
      ['constructor: format display_300x250 has no such asset; it has image, click_url, alt_text'],
    ],
    [
      'another kind',
      'display_300x250',
      { image: { ...image, kind: 'video' } },
      ['image.kind: must be image, not video'],
    ],
    [
      'another asset_type',
      'display_300x250',
      { image: { ...image, asset_type: 'html' } },
      ['image.asset_type: must be image, not html'],
    ],
    ['no URL', 'display_300x250', { image: { width: 300, height: 250 } }, ['image.url: required; send an https URL']],
    [
      'text that is no URL',
      'display_300x250',
      { image: { ...image, url: 'a.png' } },
      ['image.url: is not a URL; send an absolute https URL'],
    ],
    ['http', 'display_300x250', { image: { ...image, url: 'http://cdn.example/a.png' } }, ['image.url: must be https']],
    [
      'javascript:',
      'display_300x250',
      { image, click_url: { url: 'javascript:alert(1)' } },
      ['click_url.url: must be https'],
    ],
    [
      'a password in a URL',
      'display_300x250',
      { image: { ...image, url: 'https://me:secret@cdn.example/a.png' } },
      ['image.url: must not carry a user name or password'],
    ],
    [
      'another size',
      'display_300x250',
      { image: { ...image, width: 320, height: 50 } },
      ['image.width: is 320; must be 300', 'image.height: is 50; must be 250'],
    ],
    [
      'no size',
      'display_300x250',
      { image: { url: image.url } },
      ['image.width: required; send 300', 'image.height: required; send 250'],
    ],
    [
      'too small for a format that adapts',
      'native_responsive',
      { ...native, image: { url: 'https://cdn.example/n.jpg', width: 600, height: 314 } },
      ['image.width: is 600; must be at least 1200', 'image.height: is 314; must be at least 627'],
    ],
    [
      'another shape',
      'video_15s_16x9',
      { video: { ...video, width: 1920, height: 1440 } },
      ['video.width: 1920×1440 is not of the shape 16:9'],
    ],
    [
      'a longer video',
      'video_15s_16x9',
      { video: { ...video, duration_ms: 15_501 } },
      ['video.duration_ms: is 15501; must be 15000 milliseconds'],
    ],
    [
      'no duration',
      'video_15s_16x9',
      { video: { url: video.url, width: 1920, height: 1080 } },
      ['video.duration_ms: required; send 15000 milliseconds'],
    ],
    [
      'a duration out of bounds',
      bent('audio_15s', 'audio', { duration_ms: undefined, min_duration_ms: 5000, max_duration_ms: 20_000 }),
      { audio: { url: 'https://cdn.example/a.mp3', duration_ms: 4999 } },
      ['audio.duration_ms: is 4999; must be at least 5000 and at most 20000 milliseconds'],
    ],
    [
      'a VAST tag that says it is too long',
      'video_vast_30s',
      { vast: { url: 'https://ads.example/vast', duration_ms: 30_001 } },
      ['vast.duration_ms: is 30001; must be at most 30000 milliseconds'],
    ],
    [
      'a bitrate out of bounds',
      'video_15s_16x9',
      { video: { ...video, bitrate_kbps: 1999 } },
      ['video.bitrate_kbps: is 1999; must be at least 2000'],
    ],
    [
      'a media type by extension',
      'video_15s_16x9',
      { video: { ...video, url: 'https://cdn.example/A.MOV?v=2' } },
      ['video.url: is video/quicktime; must be video/mp4 or video/webm'],
    ],
    [
      'a media type as declared, whatever the extension',
      'display_300x250',
      { image: { ...image, mime_type: 'image/svg+xml' } },
      ['image.mime_type: is image/svg+xml; must be image/jpeg or image/png or image/gif or image/webp'],
    ],
    [
      'a file too heavy',
      'display_300x250',
      { image: { ...image, file_size_bytes: 150 * 1024 + 1 } },
      ['image.file_size_bytes: is 151 kB; must be at most 150 kB'],
    ],
    [
      'inline content too heavy, in bytes',
      bent('html5_300x250', 'html', { max_file_size_kb: 1 }),
      { html: { content: 'é'.repeat(513), width: 300, height: 250 } },
      ['html.content: is 2 kB; must be at most 1 kB'],
    ],
    [
      'text too long',
      'native_responsive',
      { ...native, headline: { content: 'x'.repeat(66) } },
      ['headline.content: has 66 characters; send at most 65'],
    ],
    [
      'text sent as a URL',
      'native_responsive',
      { ...native, headline: { url: 'https://cdn.example/headline.txt' } },
      ['headline.content: required; send the text'],
    ],
    [
      'blank text',
      'native_responsive',
      { ...native, body: { content: ' \n' } },
      ['body.content: required; send the text'],
    ],
    [
      'a tag with neither content nor URL',
      'video_vast_30s',
      { vast: {} },
      ['vast.content: required; send the text, or a url to it'],
    ],
  ])('%s', (_, id, assets, messages) => {
    expect(told(id, assets)).toEqual(messages);
  });

  it('everything at once, with the name that was probably meant', () => {
    const problems = checkAssets(format('display_300x250'), {
      imag: { ...image, url: 'http://cdn.example/a.png' },
      alt_text: { content: 'x'.repeat(121) },
    });
    expect(problems.map(({ path }) => path.join('.'))).toEqual(['image', 'imag', 'alt_text.content']);
    expect(problems[1]?.suggestion).toBe('image');
  });
});
