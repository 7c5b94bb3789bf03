import { afterAll, beforeAll, expect, it } from 'vitest';
import { readConfig } from '../../../src/main/config/config.ts';
import { startServer } from '../../../src/main/wiring/start-server.ts';
import type { StartedServer } from '../../../src/main/wiring/start-server.ts';
import { silent } from '../../directory/support/installation.ts';
import { operate } from '../../journeys/support/operator.ts';
import { startTestAgent } from '../../journeys/support/test-agent.ts';
import type { TestAgent } from '../../journeys/support/test-agent.ts';
import { runAgentCommand } from '../../main/support/cli.ts';
import { describeOnStores } from '../../support/stores.ts';
import { until } from '../../support/until.ts';
import { textOf, visitorOf } from './support/visitor.ts';
import type { Visitor } from './support/visitor.ts';

const PAGE = '/registry/blocked-domains';
const OPERATOR_API_KEY = 'a-key-of-the-operators-of-these-tests';

interface Removed {
  canonical: string;
  domain_type: string;
  blocked_reason: string;
}

describeOnStores('blocked domains, at two servers on one store, on %s', (store) => {
  let agent: TestAgent;
  let other: StartedServer;
  let admin: Visitor;
  let viewer: Visitor;
  beforeAll(async () => {
    agent = await startTestAgent(store, { working: false, env: { OPERATOR_API_KEY } });
    other = await startServer(readConfig({ ...agent.env, PORT: '0' }, { allowLoopback: true }), silent);
    [admin, viewer] = await Promise.all([visitorOf(agent, 'admin'), visitorOf(agent, 'viewer')]);
  });
  afterAll(async () => {
    await other.stop();
    await agent.stop();
  });

  /** What a server says of a domain that it sorts out; undefined: it does not. */
  async function checked(at: string, domain: string): Promise<Removed | undefined> {
    const response = await fetch(`${at}/api/properties/check`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ domains: [domain] }),
    });
    expect(response.status).toBe(200);
    return ((await response.json()) as { remove: Removed[] }).remove[0];
  }
  const act = (domain: string, verb: string, body: object = {}) =>
    operate(agent, 'POST', `/registry/blocked-domains/${encodeURIComponent(domain)}/${verb}`, body);
  const field = (of: Awaited<ReturnType<typeof act>>) => [of.status, of.body.error?.field];

  it('[R2.rows] begin with the catalog’s, which a later start leaves as they have become', async () => {
    expect(await checked(agent.baseUrl, 'ads.2mdn.net')).toMatchObject({ domain_type: 'ad_server' });
    const list = await viewer.get(`${PAGE}?domain=ads.2mdn.net`);
    expect(textOf(list.html)).toContain('the catalog');
    expect((await act('2mdn.net', 'unblock', { reason: 'a drill' })).status).toBe(200);
    const third = await startServer(readConfig({ ...agent.env, PORT: '0' }, { allowLoopback: true }), silent);
    expect(await checked(third.core.baseUrl, 'ads.2mdn.net')).toBeUndefined();
    await third.stop();
    expect((await act('2mdn.net', 'block')).body).toMatchObject({
      domain_type: 'ad_server',
      changed_by: expect.any(String) as string,
    });
    expect(await checked(agent.baseUrl, 'ads.2mdn.net')).toMatchObject({ domain_type: 'ad_server' });
  });

  it('[R2.rows] [O1] are looked up in any spelling, blocked and taken off by an admin, at every server, with the reason told', async () => {
    const lookedUp = `${PAGE}?domain=${encodeURIComponent('https://www.Pixels.example/x?y')}`;
    expect(textOf((await viewer.get(lookedUp)).html)).toContain('pixels.example</bdi> is not blocked.');
    await expect(viewer.form(lookedUp, 'Block pixels.example')).rejects.toThrow('has no form');
    const reason = 'counts <b>visits</b>';
    const form = await admin.form(lookedUp, 'Block pixels.example');
    expect((await admin.send(form, { domain_type: 'tracker', reason })).status).toBe(303);
    const told = { canonical: 'a.pixels.example', domain_type: 'tracker', blocked_reason: reason };
    expect(await checked(agent.baseUrl, 'a.pixels.example')).toMatchObject(told);
    expect(await until(() => checked(other.core.baseUrl, 'a.pixels.example'))).toMatchObject(told);
    const shown = await viewer.get(`${PAGE}?domain=a.pixels.example`);
    expect(textOf(shown.html)).toContain('a.pixels.example</bdi> is blocked by <a');
    expect(shown.html).not.toContain('<b>visits');
    const off = await admin.form(`${PAGE}?domain=pixels.example`, 'Take it off');
    expect((await admin.send(off, { reason: 'it is a publisher' })).status).toBe(303);
    expect(await checked(agent.baseUrl, 'a.pixels.example')).toBeUndefined();
    await until(async () => (await checked(other.core.baseUrl, 'a.pixels.example')) === undefined);
    expect(textOf((await viewer.get(`${PAGE}?state=unblocked`)).html)).toContain('it is a publisher');
    const { body } = await operate(agent, 'GET', '/actions?target=%2Fregistry%2Fblocked-domains%2Fpixels.example');
    expect(body['actions']).toMatchObject([
      { action: 'registry.unblock', by: admin.name, input: { reason: 'it is a publisher' }, outcome: 'done' },
      { action: 'registry.block', by: admin.name, input: { domain_type: 'tracker', reason }, outcome: 'done' },
    ]);
  });

  it('[R2.rows] [O1.undo] a block is undone from the record; in whichever spelling it was sent it is about one domain', async () => {
    const sent = { domain_type: 'cdn', reason: 'serves files' };
    expect((await act('WWW.Files.example', 'block', sent)).body).toMatchObject({ domain: 'files.example' });
    const { body } = await operate(agent, 'GET', '/actions?target=%2Fregistry%2Fblocked-domains%2Ffiles.example');
    const [{ action_id }] = body['actions'] as [{ action_id: string }];
    expect((await operate(agent, 'POST', `/actions/${action_id}/undo`)).body).toMatchObject({
      ...{ action: 'registry.unblock', target: '/registry/blocked-domains/files.example' },
    });
    expect(await checked(agent.baseUrl, 'files.example')).toBeUndefined();
    expect((await act('files.example', 'block')).body).toMatchObject({
      domain_type: 'cdn',
      blocked_reason: 'serves files',
    });
  });

  it('[R2.rows] what cannot be is refused by name, and changes nothing', async () => {
    const whole = { domain_type: 'cdn', reason: 'serves files' };
    expect(field(await act('localhost', 'block', whole))).toEqual([422, 'domain']);
    const read = await act('www.m.example.com', 'block', whole);
    expect([...field(read), read.body.error?.message]).toEqual([422, 'domain', expect.stringContaining('example.com')]);
    expect(field(await act('co.uk', 'block', whole))).toEqual([422, 'domain']);
    expect(field(await act('new.example', 'block', { reason: 'why' }))).toEqual([422, 'domain_type']);
    expect(field(await act('new.example', 'block', { domain_type: 'cdn' }))).toEqual([422, 'reason']);
    expect(field(await act('new.example', 'block', { ...whole, domain_type: 'bank' }))).toEqual([422, 'domain_type']);
    expect(field(await act('new.example', 'unblock', { reason: 'why' }))).toEqual([404, 'domain']);
    const below = await act('ads.doubleclick.net', 'unblock', { reason: 'why' });
    expect([below.status, below.body.error?.message]).toEqual([
      404,
      expect.stringContaining('doubleclick.net, above it'),
    ]);
    const again = await act('doubleclick.net', 'block', whole);
    expect([again.status, again.body.error?.message]).toEqual([409, expect.stringContaining('Unblock it first')]);
    expect((await operate(agent, 'GET', '/registry/blocked-domains?domain=new.example')).body).toEqual({
      ...{ blocked_domains: [], domain: 'new.example', has_more: false },
    });
  });

  it('[R2.rows] are listed, blocked and taken off at a terminal', async () => {
    const run = (...args: string[]) =>
      runAgentCommand(['registry', 'blocked-domains', ...args], { ...agent.env, OPERATOR_API_KEY });
    const blocked = await run('block', 'Shop-Ads.example', '--type', 'intermediary', '--reason', 'resells');
    expect(blocked).toMatchObject({ status: 0, stdout: expect.stringContaining('shop-ads.example') as string });
    const listed = await run('list', '--domain', 'x.shop-ads.example', '--output', 'csv');
    expect(listed.stdout.split('\n')[1]).toContain('"shop-ads.example","intermediary","resells","blocked",');
    expect((await run('unblock', 'shop-ads.example')).status).toBe(2);
    const off = await run('unblock', 'shop-ads.example', '--reason', 'a drill');
    expect(off.stdout).toMatch(/state +unblocked/);
    expect((await run('list', '--state', 'unblocked')).stdout).toContain('shop-ads.example');
  });
});
