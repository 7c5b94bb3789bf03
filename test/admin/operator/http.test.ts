import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../../src/admin/operator/operations.ts';
import { isOperatorKey, loadOrCreateOperatorKey, operatorKeys } from '../../../src/admin/operator/operator-key.ts';
import { OperatorActions } from '../../../src/admin/operator/actions/action.ts';
import { operatorKey } from '../../../src/main/wiring/operator-routes.ts';
import { sealer } from '../../../src/platform/crypto/sealer.ts';
import { followLink } from '../support/follow-link.ts';
import { installation } from '../../directory/support/installation.ts';
import { mediaBuyInput, send, taskOf } from '../../journeys/support/buyer.ts';
import { actingAs, approvalOf, operate } from '../../journeys/support/operator.ts';
import { startTestAgent } from '../../journeys/support/test-agent.ts';
import type { TestAgent } from '../../journeys/support/test-agent.ts';

let agent: TestAgent;
beforeAll(async () => {
  agent = await startTestAgent('sqlite', { env: { APPROVAL_OVER_USD: '100', TRUST_PROXY: '1' } });
});
afterAll(() => agent.stop());

const get = (path: string, headers?: Record<string, string>) => operate(agent, 'GET', path, undefined, headers);
/** From somewhere that has not been seen before: strangers are counted by their address. */
const from = (authorization: string) => ({ authorization, 'x-forwarded-for': `2001:db8:0:${String(++strangers)}::1` });
let strangers = 0;
const waiting = async () => {
  const { id } = taskOf(await send(agent, 'create_media_buy', mediaBuyInput(agent)));
  return (await approvalOf(agent, id)).approval_id;
};

describe('the operator API', () => {
  it.each(operations.map(({ method, path }) => [method, path] as const))(
    '%s %s is closed to buyers and strangers, who learn where the key goes',
    async (method, path) => {
      const url = path.replaceAll(/:\w+/g, 'x');
      const verb = method === 'get' ? 'GET' : 'POST';
      for (const authorization of ['', `Bearer ${agent.apiKey}`]) {
        const answer = await operate(agent, verb, url, verb === 'POST' ? {} : undefined, from(authorization));
        expect(answer).toMatchObject({
          status: 401,
          body: { error: { code: 'UNAUTHORIZED', field: 'Authorization' } },
        });
        const hint = authorization === '' ? '' : ', error="invalid_token"';
        expect(answer.headers.get('www-authenticate')).toBe(`Bearer realm="operator"${hint}`);
        expect(answer.headers.get('cache-control')).toBe('no-store');
      }
    },
  );

  it.each(['Basic b3A6b3A=', 'Bearer', 'Bearer  ', 'Bearer a b', `Bearer ${'x'.repeat(5000)}`])(
    'takes %s for no key',
    async (authorization) => {
      expect((await get('/approvals', from(authorization))).status).toBe(401);
    },
  );

  it('a key of its own opens no door of the buyers', async () => {
    const key = await operatorKey(agent.core);
    expect(await agent.core.authenticator.authenticate(key)).toBeUndefined();
  });

  it('[S2.credentials] strangers of one /64 may fail 60 times a minute, which leaves the operator alone', async () => {
    const tries = await Promise.all(
      Array.from({ length: 61 }, (_, i) =>
        get('/approvals', { authorization: 'x', 'x-forwarded-for': `2001:db8:ffff:1::${i.toString(16)}` }),
      ),
    );
    const refused = tries.filter(({ status }) => status === 429);
    expect([refused.length, tries.filter(({ status }) => status === 401).length]).toEqual([1, 60]);
    const budget = { name: 'failed_credentials', size: 60, unit: 'wrong credentials a minute' };
    expect(refused[0]?.body).toMatchObject({ error: { code: 'RATE_LIMITED', details: { budget } } });
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
    const allowed = await get('/approvals', { 'x-forwarded-for': '2001:db8:ffff:1::1' });
    expect(allowed.status).toBe(200);
    expect(allowed.headers.get('ratelimit-limit')).toBe('1200');
  });

  it('[S2.credentials] nor does it leave anybody out whose key was good, nor the shared one; a new one is refused without a look', async () => {
    const add = async () => {
      const made = await operate(agent, 'POST', '/operator-keys/add', { name: randomUUID(), role: 'viewer' });
      return (made.body as unknown as { key: string }).key;
    };
    const [known, unseen] = [await add(), await add()];
    const ask = (key: string) =>
      get('/approvals', { authorization: `Bearer ${key}`, 'x-forwarded-for': '2001:db8:fffd:1::1' });
    expect((await ask(known)).status).toBe(200);
    const tries = await Promise.all(Array.from({ length: 60 }, (_, i) => ask(`op_live_wrong-${i}`)));
    expect(new Set(tries.map(({ status }) => status))).toEqual(new Set([401]));
    const refused = await ask(unseen);
    expect(refused).toMatchObject({ status: 429, body: { error: { code: 'RATE_LIMITED' } } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const shared = await get('/approvals', { 'x-forwarded-for': '2001:db8:fffd:1::1' });
    expect([(await ask(known)).status, shared.status]).toEqual([200, 200]);
    expect((await get('/approvals', from(`Bearer ${unseen}`))).status).toBe(200);
  });

  it('[S2.credentials] what comes without a key, such as a probe, leaves its address the tries for keys', async () => {
    const from = { 'x-forwarded-for': '2001:db8:fffe:1::1' };
    const probes = await Promise.all(
      Array.from({ length: 61 }, () => get('/approvals', { authorization: '', ...from })),
    );
    expect(new Set(probes.map(({ status }) => status))).toEqual(new Set([401]));
    expect(probes[0]?.headers.get('ratelimit-limit')).toBe('1200');
    const wrong = await get('/approvals', { authorization: 'Bearer x', ...from });
    expect([wrong.status, wrong.headers.get('ratelimit-remaining')]).toEqual([401, '59']);
  });

  it.each([
    ['/approvals?limit=0', 'limit'],
    ['/approvals?limit=101', 'limit'],
    ['/approvals?limit=ten', 'limit'],
    ['/approvals?status=waiting', 'status'],
    ['/approvals?stauts=pending', 'stauts'],
    ['/approvals?status=pending&status=asked', 'status'],
    ['/approvals?cursor=nonsense', 'cursor'],
    ['/actions?since=1', 'since'],
    ['/creatives?status=new', 'status'],
    ['/webhooks/deliveries', 'state'],
    ['/webhooks/deliveries?state=lost', 'state'],
    ['/webhooks/deliveries?state=pending&from=yesterday', 'from'],
    ['/webhooks/deliveries?destination=buyer', 'destination'],
    ['/webhooks/registrations', 'task_id'],
  ])('GET %s is refused naming %s', async (path, field) => {
    const { status, body } = await get(path);
    expect([400, 422]).toContain(status);
    expect(body.error).toMatchObject({ field, message: expect.stringContaining(field) as string });
  });

  it.each([
    ['reject', {}, 'reason'],
    ['reject', { reason: '   ' }, 'reason'],
    ['reject', { reason: 'x'.repeat(2001) }, 'reason'],
    ['reject', { reason: 'no', because: 'x' }, 'because'],
    ['approve', { note: 5 }, 'note'],
    ['ask', { question: '' }, 'question'],
    ['ask', {}, 'question'],
  ])('%s with %j is refused as 422 naming %s', async (verb, body, field) => {
    const answer = await operate(agent, 'POST', `/approvals/apr_x/${verb}`, body);
    expect(answer).toMatchObject({ status: 422, body: { error: { code: 'VALIDATION_ERROR', field } } });
  });

  it.each([
    ['not JSON', '{', {}, 400, 'INVALID_REQUEST'],
    ['an array', '[]', {}, 422, 'VALIDATION_ERROR'],
    ['another type', 'a=b', { 'content-type': 'text/plain' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['too much', JSON.stringify({ note: 'x'.repeat(100_001) }), {}, 413, 'PAYLOAD_TOO_LARGE'],
    ['a wrong Idempotency-Key', '{}', { 'idempotency-key': 'short' }, 400, 'INVALID_REQUEST'],
    ['a name that cannot be read', '{}', { 'operator-name': '%E0%A4' }, 400, 'INVALID_REQUEST'],
    ['a name with a line feed', '{}', { 'operator-name': 'a%0Ab' }, 400, 'INVALID_REQUEST'],
  ])('a body or header that is %s is refused', async (_what, body, headers, status, code) => {
    const answer = await operate(agent, 'POST', '/approvals/apr_x/approve', body, headers);
    expect(answer).toMatchObject({ status, body: { error: { code } } });
  });

  it.each([
    ['GET', '/approvals/apr_unknown', 404, 'NOT_FOUND'],
    ['POST', '/approvals/apr_unknown/approve', 404, 'NOT_FOUND'],
    ['GET', '/creatives/org_x/c_x', 404, 'CREATIVE_NOT_FOUND'],
    ['POST', '/creatives/org_x/c_x/approve', 404, 'CREATIVE_NOT_FOUND'],
    ['POST', '/creatives/org_x/c_x/restore', 404, 'CREATIVE_NOT_FOUND'],
    ['GET', '/webhooks/deliveries/d_x', 404, 'NOT_FOUND'],
    ['POST', '/webhooks/deliveries/d_x/resend', 404, 'NOT_FOUND'],
    ['POST', '/webhooks/deliveries/d_x/attempt', 404, 'NOT_FOUND'],
    ['GET', '/webhooks/ranges/r_x', 404, 'NOT_FOUND'],
    ['GET', '/webhooks/registrations?task_id=t_x', 404, 'TASK_NOT_FOUND'],
    ['POST', '/webhooks/registrations/t_x/r_x/end', 404, 'TASK_NOT_FOUND'],
    ['GET', '/nothing', 404, 'NOT_FOUND'],
    ['POST', '/approvals', 404, 'NOT_FOUND'],
    ['GET', '/approvals/%E0%A4%A', 400, 'INVALID_REQUEST'],
  ] as const)('%s %s answers %i %s', async (method, path, status, code) => {
    expect(await operate(agent, method, path)).toMatchObject({ status, body: { error: { code } } });
  });

  it('lists page by page, with a cursor exactly when there is more', async () => {
    await waiting();
    await waiting();
    const first = await get('/approvals?limit=1');
    expect(first.body).toMatchObject({ has_more: true, cursor: expect.any(String) as string });
    const seen = [first.body];
    for (let last = first.body; last['has_more'] === true; seen.push(last)) {
      last = (await get(`/approvals?limit=1&cursor=${encodeURIComponent(String(last['cursor']))}`)).body;
    }
    expect(seen.at(-1)).not.toHaveProperty('cursor');
    expect(seen.length).toBeGreaterThanOrEqual(2);
  });
});

it.each([
  ['/creatives/o/c/reject', {}, 'reason'],
  ['/creatives/o/c/suspend', { reason: 'x', reason_code: 'taste' }, 'reason_code'],
  ['/creatives/o/c/approve', { reason: 'x' }, 'reason'],
  ['/webhooks/ranges/resend', {}, 'state'],
  ['/webhooks/ranges/resend', { state: 'pending' }, 'state'],
  ['/webhooks/ranges/resend', { state: 'gone', since: '2027' }, 'since'],
  ['/webhooks/destinations/buyer/pause', { reason: 'x' }, 'destination'],
  ['/webhooks/destinations/https%3A%2F%2Fa.example/pause', {}, 'reason'],
  ['/keys/rotate', { alg: 'rsa' }, 'alg'],
  ['/keys/k/revoke', {}, 'reason'],
])('POST %s with %j is refused as 422 naming %s', async (path, body, field) => {
  const answer = await operate(agent, 'POST', path, body);
  expect(answer).toMatchObject({ status: 422, body: { error: { code: 'VALIDATION_ERROR', field } } });
});

it('a sign-in link opens the console once, and is on record without the link', async () => {
  const linker = await actingAs(agent, 'linker', 'admin');
  const { body } = await operate(agent, 'POST', '/sign-in-links/create', {}, linker);
  const link = String(body['sign_in_url']);
  expect([(await followLink(link)).status, (await followLink(link)).status]).toEqual([303, 401]);
  const log = await get('/actions?by=linker');
  expect(log.body['actions']).toMatchObject([{ action: 'sign_in_links.create', outcome: 'done', answer: null }]);
});

describe('what operators do', () => {
  it('is on record with who, what and when, the refusals too', async () => {
    const approval_id = await waiting();
    const headers = { ...(await actingAs(agent, 'Zoë 李')), 'operator-name': encodeURIComponent('Anybody Ø') };
    const before = new Date().toISOString();
    await operate(agent, 'POST', `/approvals/${approval_id}/approve`, { note: 'ok' }, headers);
    await operate(agent, 'POST', `/approvals/${approval_id}/reject`, { reason: 'no' }, headers);
    const { body } = await get(`/actions?target=${encodeURIComponent(`/approvals/${approval_id}`)}`);
    expect(body['actions']).toMatchObject([
      {
        action: 'approvals.reject',
        by: 'Zoë 李',
        outcome: 'refused',
        error_code: 'INVALID_STATE',
        answer: null,
        said_name: 'Anybody Ø',
      },
      {
        action: 'approvals.approve',
        by: 'Zoë 李',
        role: 'operator',
        outcome: 'done',
        input: { note: 'ok' },
        error_code: null,
      },
    ]);
    const [, approved] = body['actions'] as { at: string; ended_at: string }[];
    expect((approved?.at ?? '') >= before && (approved?.ended_at ?? '') >= (approved?.at ?? '')).toBe(true);
    const byZoe = await get(`/actions?by=${encodeURIComponent('Zoë 李')}`);
    expect(byZoe.body['actions']).toEqual(body['actions']);
  });

  it('a click under a key that came before gets the first answer; with other words it is a conflict', async () => {
    const approval_id = await waiting();
    const headers = { 'idempotency-key': randomUUID() };
    const click = (note: string) => operate(agent, 'POST', `/approvals/${approval_id}/approve`, { note }, headers);
    const first = await click('once');
    expect(await click('once')).toMatchObject({ status: 200, body: { ...first.body, replayed: true } });
    expect(await click('twice')).toMatchObject({ status: 409, body: { error: { code: 'IDEMPOTENCY_CONFLICT' } } });
  });

  it('a click whose process died in the middle is done by the next one under its key', async () => {
    const approval_id = await waiting();
    const headers = { 'idempotency-key': randomUUID() };
    const path = `/approvals/${approval_id}/approve`;
    const first = await operate(agent, 'POST', path, {}, headers);
    const actions = agent.core.store.collection(OperatorActions);
    const { rows } = await actions.find({ where: { target: `/approvals/${approval_id}` } });
    await actions.update(rows[0]?.action_id ?? '', (row) => ({
      ...row,
      outcome: 'begun',
      answer: null,
      ended_at: null,
    }));
    const again = await operate(agent, 'POST', path, {}, headers);
    expect(again.status).toBe(200);
    expect(again.body).toMatchObject({ status: 'approved', decided_at: first.body['decided_at'] });
    expect(await actions.get(rows[0]?.action_id ?? '')).toMatchObject({ outcome: 'done' });
  });
});

describe('the operator key', () => {
  it('is made once however many processes start at once, and stays, sealed', async () => {
    const at = await installation([operatorKeys]);
    const secret = sealer('a secret of this installation, long enough');
    const keys = await Promise.all(
      Array.from({ length: 10 }, async () =>
        loadOrCreateOperatorKey({ ...at, store: await at.another(), sealer: secret }),
      ),
    );
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/^op_live_[\w-]{43}$/);
    expect(JSON.stringify(await at.store.collection(operatorKeys).get('operator'))).not.toContain(keys[0]);
    await at.close();
  });

  it('that another secret has sealed is replaced by a new one', async () => {
    const at = await installation([operatorKeys]);
    const first = await loadOrCreateOperatorKey({ ...at, sealer: sealer('the first secret, of enough characters') });
    const later = { ...at, sealer: sealer('the second secret, of enough characters') };
    const second = await loadOrCreateOperatorKey(later);
    expect(second).not.toBe(first);
    expect(await loadOrCreateOperatorKey(later)).toBe(second);
    await at.close();
  });

  it('is OPERATOR_API_KEY where that is set', async () => {
    const OPERATOR_API_KEY = `op_${randomUUID()}`;
    const other = await startTestAgent('sqlite', { env: { OPERATOR_API_KEY }, working: false });
    expect(await operatorKey(other.core)).toBe(OPERATOR_API_KEY);
    expect((await operate(other, 'GET', '/approvals')).status).toBe(200);
    await other.stop();
  });

  it('matches itself alone', () => {
    expect(isOperatorKey('abc', 'abc')).toBe(true);
    for (const other of ['', 'ab', 'abcd', 'Abc']) expect(isOperatorKey(other, 'abc')).toBe(false);
  });
});
