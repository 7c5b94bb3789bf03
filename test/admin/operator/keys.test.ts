import { afterAll, beforeAll, expect, it } from 'vitest';
import { toTimestamp } from '../../../src/platform/clock.ts';
import { DAY_MS } from '../../../src/platform/hours.ts';
import { StatSpans } from '../../../src/platform/stats/stat-span.ts';
import { operate } from '../../journeys/support/operator.ts';
import { startTestAgent } from '../../journeys/support/test-agent.ts';
import type { TestAgent } from '../../journeys/support/test-agent.ts';
import { describeOnStores } from '../../support/stores.ts';
import { visitorOf } from '../console/support/visitor.ts';

interface Key {
  kid: string;
  part: string;
  alg: string;
  webhooks_only?: boolean;
  adcp_use?: string;
  signed_24h?: number;
}

describeOnStores('[C.webhook.signatures.1] signing keys as an operator sees them, on %s', (store) => {
  let agent: TestAgent;
  beforeAll(async () => {
    agent = await startTestAgent(store, { working: false });
  });
  afterAll(() => agent.stop());

  /** All but the one of release 3.0 of the public protocol. */
  const keys = async () =>
    ((await operate(agent, 'GET', '/keys')).body['keys'] as Key[]).filter((key) => key.webhooks_only !== true);
  const published = async () =>
    ((await (await fetch(`${agent.baseUrl}/.well-known/jwks.json`)).json()) as { keys: Key[] }).keys.flatMap(
      ({ kid, adcp_use }) => (adcp_use === 'webhook-signing' ? [] : [kid]),
    );
  const act = async (path: string, body: object = {}) => (await operate(agent, 'POST', path, body)).body;

  it('rotated, the new one is published at once and signs later; clicking again, or ten at once, makes no third', async () => {
    const [first] = await keys();
    expect(first).toMatchObject({ part: 'signing', alg: 'ed25519' });
    const clicks = await Promise.all(
      Array.from({ length: 10 }, () => act('/keys/rotate', { alg: 'ecdsa-p256-sha256' })),
    );
    const [made] = clicks;
    expect(new Set(clicks.map(({ kid }) => kid)).size).toBe(1);
    expect(made).toMatchObject({ part: 'upcoming', alg: 'ecdsa-p256-sha256' });
    expect(await act('/keys/rotate')).toMatchObject({ kid: made?.['kid'], is_new: false });
    expect(await published()).toEqual([first?.kid, made?.['kid']]);
    expect((await keys()).map(({ part }) => part)).toEqual(['signing', 'upcoming']);
  });

  it('revoked, one is listed as such and its successor signs at once; again changes nothing', async () => {
    const [first, second] = await keys();
    const revoke = () => act(`/keys/${first?.kid ?? ''}/revoke`, { reason: 'it leaked' });
    const revoked = await revoke();
    expect(revoked).toMatchObject({ kid: first?.kid, part: 'revoked' });
    expect(await revoke()).toEqual(revoked);
    expect(await keys()).toMatchObject([{ part: 'revoked' }, { kid: second?.kid, part: 'signing' }]);
    expect(await published()).toEqual([second?.kid]);
    const { revoked_kids } = (await (await fetch(`${agent.baseUrl}/.well-known/revoked-keys.json`)).json()) as {
      revoked_kids: string[];
    };
    expect(revoked_kids).toEqual([first?.kid]);
  });

  it('[D5.signed] that of release 3.0 of the public protocol is listed, and is revoked and followed as any', async () => {
    const of30 = async () =>
      ((await operate(agent, 'GET', '/keys')).body['keys'] as Key[]).filter((key) => key.webhooks_only === true);
    const [first] = await of30();
    expect(first).toMatchObject({ part: 'signing' });
    await act(`/keys/${first?.kid ?? ''}/revoke`, { reason: 'it leaked' });
    expect(await of30()).toMatchObject([{ kid: first?.kid, part: 'revoked' }, { part: 'signing' }]);
    const { revoked_kids } = (await (await fetch(`${agent.baseUrl}/.well-known/revoked-keys.json`)).json()) as {
      revoked_kids: string[];
    };
    expect(revoked_kids).toContain(first?.kid);
  });

  it('each says how many webhooks it has signed within a day, by all processes', async () => {
    const { store: rows, clock } = agent.core;
    const [kid = '', other = ''] = (await keys()).map((key) => key.kid);
    const minute = (stat_id: string, agoMs: number, count: number) => ({
      ...{ stat_id, span: 'minute' as const, at: toTimestamp(clock.now() - agoMs), times: {}, queued: 0, revision: 1 },
      ...{ counts: { [`signed ${kid}`]: count }, expires_at: toTimestamp(clock.now() + 3_600_000) },
    });
    await rows
      .collection(StatSpans)
      .insertMany([minute('a', 0, 2), minute('b', 60_000, 3), minute('c', 2 * DAY_MS, 9)]);
    const signed = new Map((await keys()).map((key) => [key.kid, key.signed_24h]));
    expect([signed.get(kid), signed.get(other)]).toEqual([5, 0]);
    const viewer = await visitorOf(agent, 'viewer');
    expect((await viewer.get('/keys')).html).toMatch(/data-label="Webhooks signed, 24 h">(<[^>]*>)*5</);
  });

  it('an unknown one is NOT_FOUND', async () => {
    const answer = await operate(agent, 'POST', '/keys/none/revoke', { reason: 'x' });
    expect(answer).toMatchObject({ status: 404, body: { error: { code: 'NOT_FOUND', field: 'kid' } } });
  });
});
