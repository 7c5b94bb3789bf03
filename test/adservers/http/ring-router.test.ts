import { randomUUID } from 'node:crypto';
import express from 'express';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAX_RINGS_A_MINUTE } from '../../../src/adservers/http/ring-event.ts';
import { createRingRouter } from '../../../src/adservers/http/ring-router.ts';
import type { RateLimiter } from '../../../src/platform/redis/rate-limit.ts';
import { noSecurityLog } from '../../../src/platform/security/security-log.ts';
import { createRateLimiter } from '../../../src/platform/redis/rate-limit-redis.ts';
import { serveApp, silent, TOKEN } from './support/bridge.ts';

const OTHERS_TOKEN = 'token-of-another-ad-server';

let limiter: RateLimiter;
beforeAll(() => {
  const connection = process.env['REDIS_TEST_URL'] ?? '';
  limiter = createRateLimiter({ connection, prefix: `t-${randomUUID()}`, logger: silent });
});
afterAll(() => limiter.close());

/** Two ad servers’ way to ring; each has one buy, of its own name. Answers what was heard, too. */
async function served() {
  const ids = { own: `own-${randomUUID()}`, other: `other-${randomUUID()}` };
  const heard: string[] = [];
  const router = createRingRouter({
    adServers: [
      { id: ids.own, token: TOKEN },
      { id: ids.other, token: OTHERS_TOKEN },
    ],
    ring: ({ ad_server_id, media_buy_id }) => {
      const isKnown = media_buy_id === `mb_${ad_server_id}`;
      if (isKnown) heard.push(media_buy_id);
      return Promise.resolve(isKnown);
    },
    limiter,
    log: silent,
    security: noSecurityLog,
  });
  const url = await serveApp(express().use(router));
  const ring = async (body: unknown, { token = TOKEN, method = 'POST' } = {}) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const headers = { ...(token !== '' && { authorization: `Bearer ${token}` }) };
    const sent = { method, headers, ...(method === 'POST' && { body: text }) };
    const response = await fetch(`${url}/ad-server/events`, sent);
    const answer = (await response.json()) as { error?: { code: string; message: string } };
    return { status: response.status, headers: response.headers, answer, message: answer.error?.message ?? '' };
  };
  return { ids, heard, ring };
}

describe('a ring over HTTP', () => {
  it('is 202 once it is stored', async () => {
    const { ids, heard, ring } = await served();
    const media_buy_id = `mb_${ids.own}`;
    const { status, answer } = await ring({ media_buy_id });
    expect([status, answer, heard]).toEqual([202, { media_buy_id }, [media_buy_id]]);
  });

  it('is for its own buys alone: the token tells whose', async () => {
    const { ids, heard, ring } = await served();
    const foreign = await ring({ media_buy_id: `mb_${ids.other}` });
    expect([foreign.status, foreign.message]).toEqual([
      404,
      'body.media_buy_id: names no media buy that this ad server was told of',
    ]);
    expect((await ring({ media_buy_id: 'mb_unheard_of' })).answer).toEqual(foreign.answer);
    expect((await ring({ media_buy_id: `mb_${ids.other}` }, { token: OTHERS_TOKEN })).status).toBe(202);
    expect(heard).toEqual([`mb_${ids.other}`]);
  });

  it('without the token, or with a wrong one, is 401 before its body is read', async () => {
    const { heard, ring } = await served();
    for (const token of ['', 'wrong', `${TOKEN}x`, TOKEN.slice(0, -1)]) {
      const { status, headers, answer } = await ring('{', { token });
      expect([status, answer.error?.code, headers.get('www-authenticate')]).toEqual([401, 'unauthorized', 'Bearer']);
    }
    expect(heard).toEqual([]);
  });

  it('whose body is none names the field', async () => {
    const { ring } = await served();
    const bodies: [unknown, RegExp][] = [
      ['{', /not valid JSON/],
      ['', /body: /],
      [[], /body: /],
      [{}, /body\.media_buy_id: /],
      [{ media_buy_id: 7 }, /body\.media_buy_id: /],
      [{ media_buy_id: '' }, /body\.media_buy_id: /],
      [{ media_buy_id: 'x'.repeat(513) }, /body\.media_buy_id: /],
      [{ media_buy_id: 'mb_1', state: 'paused' }, /body: .*"state"/],
    ];
    for (const [body, message] of bodies) {
      const { status, answer } = await ring(body);
      expect([status, answer]).toEqual([
        400,
        { error: { code: 'invalid_request', message: expect.stringMatching(message) as string } },
      ]);
    }
    expect((await ring({ media_buy_id: 'x'.repeat(20_000) })).status).toBe(413);
  });

  it('by another method is 405', async () => {
    const { ring } = await served();
    const { status, headers } = await ring(undefined, { method: 'GET' });
    expect([status, headers.get('allow')]).toEqual([405, 'POST']);
  });

  it('beyond a thousand within a minute is 429, for that ad server alone', async () => {
    const { ids, ring } = await served();
    const limit = { name: 'ad-server-rings', points: MAX_RINGS_A_MINUTE, seconds: 60 };
    await Promise.all(Array.from({ length: MAX_RINGS_A_MINUTE }, () => limiter.take(limit, ids.own)));
    const { status, headers, message } = await ring({ media_buy_id: `mb_${ids.own}` });
    expect([status, message]).toEqual([429, 'at most 1000 rings a minute are taken']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await ring({ media_buy_id: `mb_${ids.other}` }, { token: OTHERS_TOKEN })).status).toBe(202);
  });
});
