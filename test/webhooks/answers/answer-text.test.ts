import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { answerText, MOST_KEPT } from '../../../src/webhooks/answers/answer-text.ts';
import { hiddenOf } from '../../../src/webhooks/answers/hidden-of.ts';

const TOKEN = 'T0k+en/"of" <the> b\\uyer é';
const STARS = '********';

/** What is kept of an answer with this body. */
const kept = (body: string | Buffer, secrets: readonly string[] = [TOKEN], more: object = {}) =>
  answerText(
    {
      ...{ kind: 'response', status: 500, reused: false, headers: {}, truncated: false, body: Buffer.from(body) },
      timings: { dns_ms: 0, connect_ms: 0, tls_ms: 0, first_byte_ms: 0, total_ms: 0 },
      ...more,
    },
    secrets,
  );

const inJson = (text: string) => JSON.stringify(text).slice(1, -1);
const toUnits = (text: string, of: RegExp, write: (unit: string) => string) =>
  text.replaceAll(of, (found) => found.split('').map(write).join(''));
const hex = (unit: string, digits: number) => unit.charCodeAt(0).toString(16).padStart(digits, '0');

/** How programs write a text that they repeat. */
const WAYS: readonly [name: string, written: string][] = [
  ['as it is', TOKEN],
  ['in JSON', inJson(TOKEN)],
  ['in JSON in JSON', inJson(inJson(TOKEN))],
  ['in JSON of PHP', inJson(TOKEN).replaceAll('/', '\\/')],
  ['in JSON of Python', toUnits(inJson(TOKEN), /[^\0-\x7f]/g, (unit) => `\\u${hex(unit, 4)}`)],
  ['in JSON of .NET', toUnits(TOKEN, /["+<>&\\]|[^\0-\x7f]/g, (unit) => `\\u${hex(unit, 4).toUpperCase()}`)],
  ['in a URL', encodeURIComponent(TOKEN)],
  ['in a form', new URLSearchParams({ t: TOKEN }).toString().slice(2)],
  ['in HTML', TOKEN.replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&#34;').replaceAll('+', '&#x2B;')],
];

describe('[W8.answers] what is kept of an answer', () => {
  it.each(WAYS)('[W8.answers] has no secret that is repeated %s, wherever the answer is cut', async (_way, written) => {
    expect(await kept(`you said ${written}!`)).toEqual({ text: `you said ${STARS}!`, is_cut: false });
    for (let before = MOST_KEPT - written.length - 1; before <= MOST_KEPT; before++) {
      const { text } = await kept(`${'.'.repeat(before)}${written}`);
      expect(text).toBe(`${'.'.repeat(before)}${STARS}`.slice(0, MOST_KEPT));
    }
  });

  it('[W8.answers] has none that begins within what only began like it, nor of one that overlaps itself', async () => {
    const secret = 'ababababab-cdcdcd';
    expect((await kept(`ab${secret}!`, [secret])).text).toBe(`${STARS}!`);
    expect((await kept('x'.repeat(20), ['x'.repeat(12)])).text).toBe(STARS);
  });

  it('[W8.answers] has none that was cut on its way, before or behind what is kept', async () => {
    const secret = 'abcdefghijklmnopqrstuvwxyz012345';
    expect((await kept(`got ${secret.slice(0, 20)}… and more`, [secret])).text).toBe(`got ${STARS}… and more`);
    // Stars are shorter than what they stand for: what was read ends within what is kept.
    for (const length of [1, 5, 31]) {
      const { text } = await kept(`${secret.repeat(40)}!${secret.slice(0, length)}`, [secret], { truncated: true });
      expect(text).toBe(`${STARS.repeat(40)}!${STARS}`);
    }
  });

  it('[W8.answers] is its first KiB, never a part of a character, without its encoding, and never more of what unpacks to much', async () => {
    expect(await kept('é'.repeat(600))).toEqual({ text: 'é'.repeat(512), is_cut: true });
    expect(await kept(`.${'é'.repeat(600)}`)).toEqual({ text: `.${'é'.repeat(511)}`, is_cut: true });
    expect(await kept('x'.repeat(MOST_KEPT))).toEqual({ text: 'x'.repeat(MOST_KEPT), is_cut: false });
    const packed = { headers: { 'content-encoding': 'gzip' } };
    expect(await kept(gzipSync(`no ${TOKEN}`), [TOKEN], packed)).toEqual({ text: `no ${STARS}`, is_cut: false });
    expect(await kept(gzipSync('x'.repeat(1_000_000)), [], packed)).toEqual({
      ...{ text: 'x'.repeat(MOST_KEPT), is_cut: true },
    });
    expect(await kept('not packed', [], packed)).toEqual({ text: '', is_cut: true });
    expect(await kept('')).toEqual({ text: '', is_cut: false });
  });

  it('[W8.answers] [W11.path] hides of the URL what may be a key, in its path and in its query', async () => {
    const secrets = hiddenOf({
      url: 'https://hooks.example/v1/services/T0B0KEY9/hook?key=a%20secret&n=1',
      ...{ text: '{}', isBodySecret: false, secrets: [] },
    });
    const body = 'Cannot POST /v1/services/T0B0KEY9/hook?key=a%20secret&n=1 (T0B0KEY9, "a secret", 1)';
    expect((await kept(body, secrets)).text).toBe(
      `Cannot POST /v1/services/${STARS}/hook?${STARS} (${STARS}, "${STARS}", 1)`,
    );
  });
});
