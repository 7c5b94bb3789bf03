import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SETTINGS } from '../../src/main/config/settings.ts';
import { shownSettings } from '../../src/main/config/shown-settings.ts';
import { degradedIn, examinerOf } from '../../src/main/health/findings.ts';
import { readinessOf } from '../../src/main/health/readiness-of.ts';
import { sealer } from '../../src/platform/crypto/sealer.ts';
import { startBeats } from '../../src/main/wiring/beats.ts';
import { SigningKeys, WebhookSigningKeys } from '../../src/webhooks/keys/signing-key-row.ts';
import { createSigningKeySets } from '../../src/webhooks/keys/signing-key-sets.ts';
import { cutOffAdServer } from '../admin/support/waiting-order.ts';
import { visitorOf } from '../admin/console/support/visitor.ts';
import { operate } from '../journeys/support/operator.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { testClock } from '../directory/support/installation.ts';
import { outbound } from '../platform/outbound/support/client.ts';
import { serveHttp } from '../platform/outbound/support/servers.ts';
import { freePort } from '../support/free-port.ts';
import { describeOnStores } from '../support/stores.ts';
import { until } from '../support/until.ts';
import { runAgentCommand } from './support/cli.ts';

interface Found {
  level: string;
  part: string;
  found: string;
  advice: string | null;
}

describeOnStores('what is found of an installation on %s', (store) => {
  const secret = `op_live_${randomUUID()}${randomUUID()}`;
  let agent: TestAgent;
  /** What was answered while rows and indexes were brought forward. */
  const whileMigrating: unknown[] = [];
  beforeAll(async () => {
    const port = await freePort();
    agent = await startTestAgent(store, {
      working: false,
      env: { OPERATOR_API_KEY: secret, APPROVAL_OVER: 'USD:500', PORT: String(port) },
      wrapStore: (plain) => ({
        ...plain,
        async prepare() {
          const answer = await fetch(`http://127.0.0.1:${port}/readyz`);
          whileMigrating.push([answer.status, await answer.json()]);
          await plain.prepare();
        },
      }),
    });
  });
  afterAll(() => agent.stop());

  const of = (part: string, findings: readonly Found[]) => findings.filter((one) => one.part === part);
  /** What would be found if a part of it were otherwise. */
  const ifSo = (changes: object) => examinerOf({ ...agent.core, ...changes })();
  const queuesWith = (changes: object) => ({ queues: { ...agent.core.queues, ...changes } });
  const clock = (aheadMs: number) => queuesWith({ clockAheadMs: () => Promise.resolve(aheadMs) });
  const facts = (changes: object) =>
    queuesWith({ facts: async () => ({ ...(await agent.core.queues.facts()), ...changes }) });

  it('[O1] tells by API, page and command the worst first, each with what to do', async () => {
    const { status, body } = await operate(agent, 'GET', '/doctor');
    expect(status).toBe(200);
    const findings = body['findings'] as Found[];
    expect(body['is_well']).toBe(true);
    const parts = findings.map(({ part }) => part);
    for (const part of [
      'store',
      'redis',
      'ad server default',
      'signing keys',
      'clock',
      'queues',
      'workers',
      'backup',
      'secret',
    ]) {
      expect(parts).toContain(part);
    }
    expect(findings.find(({ part }) => part === 'backup')).toMatchObject({
      advice: expect.stringMatching(/^npm run agent -- backup --to FILE/) as string,
    });
    const ranks = findings.map(({ level }) => ['error', 'warning', 'ok'].indexOf(level));
    expect(ranks).toEqual([...ranks].sort());
    for (const { level, advice } of findings) expect(advice === null).toBe(level === 'ok');
    const page = await (await visitorOf(agent, 'viewer')).get('/settings');
    expect(page.status).toBe(200);
    for (const { part } of findings) expect(page.html).toContain(part);
  });

  it('[S4] shows every setting with its value, and of a secret only that it is set', async () => {
    const { body } = await operate(agent, 'GET', '/settings');
    const shown = body['settings'] as { name: string; value: string | null; is_set: boolean; is_secret: boolean }[];
    expect(shown.map(({ name }) => name)).toEqual(Object.keys(SETTINGS));
    const one = (name: string) => shown.find((row) => row.name === name);
    expect(one('OPERATOR_API_KEY')).toMatchObject({ value: null, is_set: true, is_secret: true });
    expect(one('APPROVAL_OVER')).toMatchObject({ value: 'USD:500', is_set: true, is_secret: false });
    expect(one('PUBLIC_URL')).toMatchObject({ value: null, is_set: false });
    const page = await (await visitorOf(agent, 'admin')).get('/settings');
    expect(page.html).toContain('USD:500');
    expect(JSON.stringify(body) + page.html).not.toContain(secret);
  });

  it('finds what is wrong with Redis, the clock and the workers, and /readyz tells what keeps nobody away', async () => {
    expect(of('redis', await ifSo(facts({ maxmemory_policy: 'allkeys-lru' })))).toContainEqual(
      expect.objectContaining({ level: 'error', found: 'maxmemory-policy is allkeys-lru' }),
    );
    expect(of('redis', await ifSo(facts({ version: '5.0.14' })))).toContainEqual(
      expect.objectContaining({ level: 'error', found: 'version 5.0.14' }),
    );
    expect(of('clock', await ifSo(clock(-3_000)))).toMatchObject([
      { level: 'warning', found: '3.0 s ahead of that of Redis' },
    ]);
    expect(await degradedIn({ ...agent.core, ...clock(2_500) })).toEqual([
      { part: 'clock', why: '2.5 s behind that of Redis' },
    ]);
    // A server that has just come up has heard of nobody yet.
    expect(of('workers', await ifSo({ openedAtMs: performance.now() }))).toMatchObject([{ level: 'ok' }]);
    const late = { ...agent.core, openedAtMs: performance.now() - 60_000 };
    const away = { part: 'workers', why: 'none has been heard of for 30 s' };
    expect(await degradedIn(late)).toEqual([away]);
    const beats = startBeats(agent.core);
    await until(async () => (await agent.core.queues.beats.count()) === 1);
    expect(await degradedIn(late)).toEqual([]);
    beats.stop();
    await until(async () => (await agent.core.queues.beats.count()) === 0);
    expect(await degradedIn(late)).toEqual([away]);
    // One that does not end is not taken for all being well.
    const held = queuesWith({ clockAheadMs: () => new Promise(() => undefined) });
    const { isReady, states } = await readinessOf({ ...agent.core, ...held });
    expect([isReady, states['degraded']]).toMatchObject([true, [{ part: 'health' }]]);
  });

  it('/readyz is 503 until the store is of this release, and while there is no key to sign with', async () => {
    const starting = [503, { error: 'the agent is starting; try again in a second' }];
    expect(whileMigrating[0]).toEqual(starting);
    const ready = await fetch(`${agent.baseUrl}/readyz`);
    expect([ready.status, await ready.json()]).toMatchObject([200, { store: 'ok', queue: 'ok', signing_keys: 'ok' }]);
    const { core } = agent;
    // As where SECRET_KEY is not the one that its keys are sealed by.
    const keys = createSigningKeySets({
      ...core,
      keys: core.store.collection(SigningKeys),
      webhookKeys: core.store.collection(WebhookSigningKeys),
      sealer: sealer('another secret than that of this installation'),
    });
    expect(await readinessOf({ ...core, webhooks: { ...core.webhooks, keys } })).toMatchObject({
      isReady: false,
      states: { store: 'ok', queue: 'ok', signing_keys: 'none' },
    });
    const unkept = { ...core.webhooks.keys, webhookSigner: () => Promise.reject(new Error('there is no signing key')) };
    expect(await readinessOf({ ...core, webhooks: { ...core.webhooks, keys: unkept } })).toMatchObject({
      isReady: false,
      states: { signing_keys: 'none' },
    });
  });

  it('takes a look that fails for a finding, and still tells the others', async () => {
    const broken = queuesWith({ clockAheadMs: () => Promise.reject(new Error('the line is cut')) });
    const findings = await ifSo(broken);
    expect(of('clock', findings)).toMatchObject([{ level: 'error', found: 'the line is cut' }]);
    expect(of('store', findings)).toMatchObject([{ level: 'ok' }]);
  });

  it('ends the command with status 1 where something is an error, and says what', async () => {
    const env = { OPERATOR_API_KEY: secret, HOME: '/nowhere' };
    const well = await runAgentCommand(['doctor', '--url', agent.baseUrl, '--key', secret], env);
    expect(well).toMatchObject({ status: 0, stderr: '' });
    expect(well.stdout).toContain('signing keys');
    await cutOffAdServer(agent.core);
    const ill = await runAgentCommand(['doctor', '--url', agent.baseUrl, '--key', secret], env);
    expect(ill).toMatchObject({ status: 1, stderr: '' });
    expect(ill.stdout).toMatch(/^error +ad server default +does not answer/m);
    const json = await runAgentCommand(['doctor', '--json', '--url', agent.baseUrl, '--key', secret], env);
    expect(json.status).toBe(1);
    expect(JSON.parse(json.stdout)).toMatchObject({ is_well: false });
    const told = await runAgentCommand(['settings', '--url', agent.baseUrl, '--key', secret], env);
    expect(told.stdout).toMatch(/^OPERATOR_API_KEY +\(secret, set\)$/m);
    expect(told.stdout).not.toContain(secret);
    const shown = await runAgentCommand(['config', 'show', '--url', agent.baseUrl, '--key', secret], env);
    expect(shown).toEqual(told);
  });

  it('advises whoever can be reached by others', async () => {
    const { config } = agent.core;
    const open = {
      ...config,
      isLocal: false,
      publicUrl: 'http://sales.publisher.example',
      host: '0.0.0.0',
      approvalOver: new Map(),
    };
    const findings = await ifSo({ config: open });
    expect(of('address', findings).map(({ level }) => level)).toEqual(['error', 'warning']);
    for (const part of ['approvals', 'metrics', 'contact'])
      expect(of(part, findings)).toMatchObject([{ level: 'warning' }]);
    const unnamed = await ifSo({ config: { ...open, publicUrl: undefined } });
    expect(of('address', unnamed)[0]).toMatchObject({ level: 'error', found: 'PUBLIC_URL is not set' });
  });

  it('[O1] looks outward once a minute, whoever asks meanwhile, and at all else each time', async () => {
    let looks = 0;
    const server = await serveHttp((_request, response) => {
      looks += 1;
      response.writeHead(404 + looks).end();
    });
    const time = testClock();
    const config = { ...agent.core.config, isLocal: false, publicUrl: server.origin };
    const core = { ...agent.core, config, clock: time, operatorOutbound: outbound({ trustsUrls: true }) };
    const examine = examinerOf(core);
    const found = async () => of('agent card', await examine()).map((one) => one.found);
    const [first, second, third] = [405, 406, 407].map((status) => [`PUBLIC_URL answers ${status} for the agent card`]);
    expect(await Promise.all([found(), found()])).toEqual([first, first]);
    time.advance(59_999);
    expect(await found()).toEqual(first);
    time.advance(1);
    expect([await found(), await found()]).toEqual([second, second]);
    // A clock that is set back keeps nothing for longer.
    time.advance(-1);
    expect(await found()).toEqual(third);
  });
});

describe('what is shown of settings', () => {
  it('[S4] is never a secret, wherever in them one stands', () => {
    const planted = randomUUID();
    const env = Object.fromEntries(
      Object.keys(SETTINGS).map((name) => [
        name,
        /_URL$|_RINGS$|_VERIFY$|_ISSUER$/.test(name)
          ? `https://user:${planted}@host.example/${planted}?token=${planted}`
          : `v-${planted}`,
      ]),
    );
    const shown = shownSettings(env);
    const leaks = shown.filter(({ name, value }) => (value ?? '').includes(planted) && env[name]?.startsWith('https:'));
    expect(leaks).toEqual([]);
    for (const name of [
      'SECRET_KEY',
      'PREVIOUS_SECRET_KEYS',
      'SIGNING_KEYS',
      'WEBHOOK_SIGNING_KEYS',
      'OPERATOR_API_KEY',
    ]) {
      expect(shown.find((one) => one.name === name)).toMatchObject({ is_secret: true, value: null });
    }
    for (const name of [
      'BOOTSTRAP_API_KEY',
      'OPERATOR_OIDC_CLIENT_SECRET',
      'STRIPE_SECRET_KEY',
      'STRIPE_WEBHOOK_SECRET',
    ]) {
      expect(shown.find((one) => one.name === name)).toMatchObject({ is_secret: true, value: null });
    }
    for (const name of ['AD_SERVER_TOKEN', 'OUTBOUND_PROXY', 'DEV_ACCOUNTS', 'OAUTH_CLIENTS']) {
      expect(shown.find((one) => one.name === name)).toMatchObject({ is_secret: true, value: null });
    }
    const several = shownSettings({ MONGODB_URL: `mongodb://agent:${planted}@a:27017,b:27017/agent?replicaSet=rs0` });
    expect(several.find(({ name }) => name === 'MONGODB_URL')?.value).toBe('mongodb://a:27017,b:27017/…');
  });
});
