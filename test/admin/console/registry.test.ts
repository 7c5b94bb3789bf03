import { afterAll, beforeAll, expect, it } from 'vitest';
import { publishers } from '../../../src/directory/publisher/publisher.ts';
import { checkId, scheduledChecks } from '../../../src/directory/scheduled-check/scheduled-check.ts';
import type { CheckKind } from '../../../src/directory/scheduled-check/scheduled-check.ts';
import { toTimestamp } from '../../../src/platform/clock.ts';
import { operate } from '../../journeys/support/operator.ts';
import { startTestAgent } from '../../journeys/support/test-agent.ts';
import type { TestAgent } from '../../journeys/support/test-agent.ts';
import { describeOnStores } from '../../support/stores.ts';
import { AGENT, plantRegistry, PUBLISHER, WHY } from './support/plant-registry.ts';
import { textOf, visitorOf } from './support/visitor.ts';
import type { Visitor } from './support/visitor.ts';

describeOnStores('the registry in the console on %s', (store) => {
  let agent: TestAgent;
  let admin: Visitor;
  let viewer: Visitor;
  beforeAll(async () => {
    agent = await startTestAgent(store, { working: false });
    [admin, viewer] = await Promise.all([visitorOf(agent, 'admin'), visitorOf(agent, 'viewer')]);
    await plantRegistry(agent);
  });
  afterAll(() => agent.stop());

  const dueAt = async (kind: CheckKind, subject: string) =>
    (await agent.core.store.collection(scheduledChecks).get(checkId(kind, subject)))?.due_at ?? '';
  const now = () => toTimestamp(agent.core.clock.now());

  it('[O1] shows first whose file cannot be read and why, and of each what is wrong with it', async () => {
    const list = await viewer.get('/registry');
    expect(list.html).toContain(`href="/admin/registry/publishers/${PUBLISHER}"`);
    expect(textOf(list.html)).toContain(WHY);
    expect(list.html).not.toContain('<b>is not');
    const page = await viewer.get(`/registry/publishers/${PUBLISHER}`);
    expect(textOf(page.html)).toContain('authorized_agents[2] names <i>nobody</i>');
    expect(page.html).not.toContain('<button>Read its file');
    expect((await viewer.get('/registry?state=hosted')).html).not.toContain(PUBLISHER);
    expect((await viewer.get('/registry/publishers/unknown.example')).status).toBe(404);
    expect((await viewer.get('/registry?state=odd')).status).toBe(422);
  });

  it('[O1] has a file read, or an agent checked, in a moment for an admin alone', async () => {
    for (const [kind, subject, page, button] of [
      ['adagents', PUBLISHER, `/registry/publishers/${PUBLISHER}`, 'Read its file'],
      ['badges', AGENT.url, '/registry/agents/ag_studio', 'Check it'],
    ] as const) {
      expect(await dueAt(kind, subject)).toSatisfy((at: string) => at > now());
      await expect(viewer.form(page, button)).rejects.toThrow('has no form');
      expect((await admin.send(await admin.form(page, button))).status).toBe(303);
      expect(await dueAt(kind, subject)).toSatisfy((at: string) => at <= now());
    }
    const { body } = await operate(agent, 'GET', '/actions');
    const actions = (body['actions'] as { action: string }[]).map(({ action }) => action);
    expect(actions).toEqual(expect.arrayContaining(['registry.crawl', 'registry.check']));
  });

  it('reads no file of what this house says itself', async () => {
    const at = now();
    await agent.core.store.collection(publishers).insert({
      ...{ publisher_domain: 'ours.example', source: 'hosted', verified: true, properties: [] },
      ...{ created_at: at, updated_at: at, revision: 1 },
    });
    expect((await viewer.get('/registry/publishers/ours.example')).html).not.toContain('Read its file');
    const refused = await operate(agent, 'POST', '/registry/publishers/ours.example/crawl');
    expect(refused).toMatchObject({ status: 409, body: { error: { code: 'INVALID_STATE' } } });
  });

  it('[O1] shows agents by who sees them, or of one organization, each with its checks', async () => {
    expect((await viewer.get('/registry/agents')).html).not.toContain(AGENT.url);
    for (const query of ['visibility=private', 'organization_id=org_acme']) {
      expect((await viewer.get(`/registry/agents?${query}`)).html).toContain(AGENT.url);
    }
    const page = await viewer.get('/registry/agents/ag_studio');
    expect(textOf(page.html)).toContain(WHY);
    expect(page.html).toContain('href="/admin/buyers/org_acme"');
    expect((await viewer.get('/registry/agents/none')).status).toBe(404);
  });

  it('[O1] gives a company its first domain and takes it, once the domain is typed', async () => {
    const { body } = await operate(agent, 'POST', '/buyers/add', { name: 'Newcomer' });
    const page = `/buyers/${String(body['organization_id'])}`;
    const given = await admin.send(await admin.form(page, 'Give'), { domain: 'newcomer.example', reason: 'a drill' });
    expect(given.status).toBe(303);
    expect((await viewer.get(page)).html).toContain('newcomer.example');
    const take = await admin.form(page, 'Take it');
    expect((await admin.send(take, { reason: 'a drill', _typed: 'another' })).status).toBe(422);
    expect(
      (await admin.send(await admin.form(page, 'Take it'), { reason: 'a drill', _typed: 'newcomer.example' })).status,
    ).toBe(303);
    expect((await viewer.get(page)).html).toContain('It has none, so that its keys register no agents.');
  });
});
