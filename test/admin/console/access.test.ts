import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { memberships } from '../../../src/directory/membership/membership.ts';
import { startSession } from '../../../src/admin/session.ts';
import { grants } from '../../../src/oauth/grant/grant.ts';
import { operate } from '../../journeys/support/operator.ts';
import { startTestAgent } from '../../journeys/support/test-agent.ts';
import type { TestAgent } from '../../journeys/support/test-agent.ts';
import { sampleMediaBuy } from '../../sales/support/sample-media-buy.ts';
import { mediaBuyId, organizationId, taskId } from '../../support/ids.ts';
import { describeOnStores } from '../../support/stores.ts';
import { followLink } from '../support/follow-link.ts';
import { sampleGrant } from '../support/sample-grant.ts';
import { callOf } from './support/shell-line.ts';
import { backTo, formsIn, saidDone, textOf, visitorOf } from './support/visitor.ts';
import type { Shown, Visitor } from './support/visitor.ts';

describeOnStores('who may, in the console on %s', (store) => {
  let agent: TestAgent;
  let admin: Visitor;
  let operator: Visitor;
  let viewer: Visitor;
  beforeAll(async () => {
    agent = await startTestAgent(store, { working: false });
    [admin, operator, viewer] = await Promise.all([
      visitorOf(agent, 'admin'),
      visitorOf(agent, 'operator'),
      visitorOf(agent, 'viewer'),
    ]);
  });
  afterAll(() => agent.stop());

  const textAt = ({ html }: Shown, id: string): string =>
    textOf(new RegExp(`<pre [^>]*id="${id}">([^<]*)</pre>`).exec(html)?.[1] ?? '');
  const read = async <A>(path: string) => (await operate(agent, 'GET', path)).body as unknown as A;
  const personOf = (name: string) =>
    read<{ people: { name: string; person_id: string; role: string; state: string }[] }>('/people?limit=100').then(
      ({ people }) => people.find((one) => one.name === name),
    );
  const signedInAs = async ({ person_id }: Visitor, role: 'viewer' | 'operator' | 'admin'): Promise<string> =>
    `console_session=${await startSession(agent.core, { person_id, role }, '127.0.0.2')}`;
  const newBuyer = async (name: string) =>
    organizationId(String((await operate(agent, 'POST', '/buyers/add', { name })).body['organization_id']));
  const opens = async (cookie: string): Promise<boolean> =>
    (await fetch(`${agent.baseUrl}/admin/me`, { headers: { cookie }, redirect: 'manual' })).status === 200;

  it('[O1.pages] where nothing has been sold yet, the overview says how a buyer begins', async () => {
    const { html } = await viewer.get('');
    expect(textOf(html)).toMatch(/Nothing has been sold yet\. .*<a href="\/admin\/buyers">/);
  });

  it('[O1.once] an invitation made on the page of people signs in once, as whom it names', async () => {
    const form = await admin.form('/people', 'Invite');
    const name = `O'Neil <b>${randomUUID()}</b>`;
    const shown = await admin.send(form, { name, role: 'operator' });
    expect(shown.html).not.toContain('<b>');
    const link = textAt(shown, 'secret');
    expect((await followLink(link)).status).toBe(303);
    expect((await followLink(link)).status).toBe(401);
    expect(await personOf(name)).toMatchObject({ role: 'operator', state: 'active' });
    expect(textOf((await viewer.get('/people')).html)).toContain(name);
  });

  it('[O1.once] an operator key made there works in the line beside it, and is revoked there', async () => {
    const form = await admin.form(`/people/${viewer.person_id}`, 'Make an operator key');
    const shown = await admin.send(form, { name: 'laptop', role: 'admin', days: '30' });
    expect(shown.html).toContain('<dt>Role</dt><dd>viewer</dd>');
    const line = textAt(shown, 'call');
    expect((await callOf(line)).status).toBe(200);
    const revoke = await admin.form(`/people/${viewer.person_id}`, 'Revoke for good');
    expect((await admin.send(revoke, { reason: 'a drill' })).status).toBe(303);
    expect((await callOf(line)).status).toBe(401);
    expect((await viewer.get('/me')).html).toContain('revoked');
  });

  it('[S5] another role, and the end of all sessions, hold at once', async () => {
    const [one, two] = await Promise.all([visitorOf(agent, 'viewer'), visitorOf(agent, 'viewer')]);
    const role = await admin.form(`/people/${one.person_id}`, 'Change the role');
    expect((await admin.send(role, { role: 'operator' })).status).toBe(303);
    expect(await opens(one.cookie)).toBe(false);
    expect(await opens(await signedInAs(one, 'operator'))).toBe(true);
    expect((await admin.send(await admin.form(`/people/${two.person_id}`, 'End all sessions'))).status).toBe(303);
    expect(await opens(two.cookie)).toBe(false);
    expect(await opens(admin.cookie)).toBe(true);
  });

  it('[S5] whoever is signed in ends their own other sessions, and nobody else’s', async () => {
    const elsewhere = await signedInAs(operator, 'operator');
    const form = await operator.form('/me', 'End my other sessions');
    expect(form.action).toBe('/admin/do/me/sessions/end');
    expect((await operator.send(form)).status).toBe(303);
    expect(await Promise.all([elsewhere, operator.cookie, viewer.cookie].map(opens))).toEqual([false, true, true]);
    const refused = await operate(agent, 'POST', '/me/sessions/end');
    expect([refused.status, refused.body.error?.code]).toEqual([409, 'INVALID_STATE']);
  });

  it('[O1.typed] a person is removed once their name is typed; the last admin is not', async () => {
    const gone = await visitorOf(agent, 'operator');
    const form = await admin.form(`/people/${gone.person_id}`, 'Remove for good');
    expect((await admin.send(form, { reason: 'has left' })).status).toBe(422);
    expect(await opens(gone.cookie)).toBe(true);
    expect((await admin.send(form, { reason: 'has left', _typed: gone.name })).status).toBe(303);
    expect(await opens(gone.cookie)).toBe(false);
    expect(formsIn((await admin.get(`/people/${gone.person_id}`)).html).map(({ button }) => button)).toEqual([]);

    const last = await admin.form(`/people/${admin.person_id}`, 'Remove for good');
    const refused = await admin.send(last, { reason: 'a drill', _typed: admin.name });
    expect([refused.status, textOf(refused.html).includes('is the last admin')]).toEqual([409, true]);
    const lesser = await admin.form(`/people/${admin.person_id}`, 'Change the role');
    expect((await admin.send(lesser, { role: 'viewer' })).status).toBe(409);
    expect(await personOf(admin.name)).toMatchObject({ role: 'admin', state: 'active' });
  });

  it('[O1.typed] a signing key is rotated by a form, and revoked once its id is typed', async () => {
    type Keys = { keys: { kid: string; part: string }[] };
    expect((await admin.send(await admin.form('/keys', 'Rotate'))).status).toBe(303);
    const { keys } = await read<Keys>('/keys');
    const upcoming = keys.find(({ part }) => part === 'upcoming');
    const { html } = await admin.get('/keys');
    const form = formsIn(html).find(({ fields }) => fields['_phrase'] === upcoming?.kid);
    if (form === undefined || upcoming === undefined) throw new Error('no form revokes the upcoming key');
    expect(textOf(html)).toContain('It has signed nothing yet, so that receivers refuse nothing.');
    expect(textOf(html)).toContain('Receivers that verify refuse what this key has signed');
    expect((await admin.send(form, { reason: 'a drill', _typed: 'yes' })).status).toBe(422);
    expect((await read<Keys>('/keys')).keys.find(({ kid }) => kid === upcoming.kid)?.part).toBe('upcoming');
    expect((await admin.send(form, { reason: 'a drill', _typed: upcoming.kid })).status).toBe(303);
    expect((await read<Keys>('/keys')).keys.find(({ kid }) => kid === upcoming.kid)?.part).toBe('revoked');
  });

  it('[O1.forms] a receiver is paused and resumed on its page', async () => {
    const page = `/webhooks/receivers/${encodeURIComponent('https://buyer.example')}`;
    expect((await operator.send(await operator.form(page, 'Pause'), { reason: 'maintenance <i>' })).status).toBe(303);
    const { html } = await viewer.get('/webhooks/receivers');
    expect(html).not.toContain('<i>');
    expect(textOf(html)).toContain('maintenance <i>');
    const answer = await operator.send(await operator.form(page, 'Resume'));
    expect([answer.status, answer.headers.get('location')]).toEqual([303, backTo(page, 'webhooks.resume')]);
    const resumed = (answer.headers.get('location') ?? '').replace('/admin', '');
    expect(saidDone((await operator.get(resumed)).html)).toBe('Webhooks to https://buyer.example are sent again.');
    expect((await read<{ is_paused: boolean }>(page.replace('receivers', 'destinations'))).is_paused).toBe(false);
  });

  it('[O1.forms] names the role that a page’s actions take, and shows none of them to others', async () => {
    for (const path of ['/keys', '/people', `/people/${admin.person_id}`]) {
      const { html } = await operator.get(path);
      expect([path, formsIn(html)]).toEqual([path, []]);
      expect([path, html.includes('takes the role admin; yours is operator')]).toEqual([path, true]);
    }
    const { html } = await viewer.get('/me');
    expect(formsIn(html).map(({ button }) => button)).toEqual(['End my other sessions']);
  });

  it('[O1] a buyer’s page shows its people and grants, and ends a grant', async () => {
    const organization_id = await newBuyer('Acme');
    const buyer = `/buyers/${organization_id}`;
    const now = new Date(agent.core.clock.now()).toISOString();
    await agent.core.store.collection(memberships).insert({
      membership_id: 'm_ada',
      organization_id,
      user_id: 'ada <i>',
      role: 'admin',
      created_at: now,
      revision: 1,
    });
    await agent.core.store.collection(grants).insert({ ...sampleGrant, organization_id });
    const { html } = await viewer.get(buyer);
    expect(textOf(html)).toContain('ada <i>');
    expect(html).not.toContain('<i>');
    expect(html).toContain('ada@acme.example');
    const all = await viewer.get('/grants');
    expect(all.html).toContain(`href="/admin/buyers/${organization_id}"`);
    expect(formsIn(all.html)).toEqual([]);
    expect((await viewer.get('/grants?subject=nobody')).html).not.toContain('ada@acme.example');
    const form = await admin.form('/grants?subject=dev_ada', 'End this grant');
    const ended = await admin.send(form, { reason: 'a drill' });
    expect([ended.status, ended.headers.get('location')]).toEqual([
      303,
      backTo('/grants?subject=dev_ada', 'grants.end'),
    ]);
    const { body } = await operate(agent, 'GET', `/grants?organization_id=${organization_id}`);
    expect((body['grants'] as { revoked_at: string | null }[]).map(({ revoked_at }) => revoked_at !== null)).toEqual([
      true,
    ]);
    expect(formsIn((await admin.get(buyer)).html).map(({ button }) => button)).not.toContain('End this grant');
  });

  it('[O1.typed] who buys is suspended once its name is typed, and not before; who does not buy, at once', async () => {
    const organization_id = await newBuyer('Acme');
    const buyer = `/buyers/${organization_id}`;
    const idle = await admin.form(buyer, 'Suspend');
    expect(idle.fields).not.toHaveProperty('_phrase');
    expect((await admin.send(idle, { reason: 'a drill' })).status).toBe(303);
    expect((await admin.send(await admin.form(buyer, 'Restore'))).status).toBe(303);

    const ids = { media_buy_id: mediaBuyId('mb_1'), task_id: taskId('task_1'), organization_id };
    await agent.core.sales.mediaBuys.insert(sampleMediaBuy({ ...ids, status: 'active', pending_reason: null }));
    const form = await admin.form(buyer, 'Suspend');
    const { _phrase: phrase = '', _token: _none, ...others } = form.fields;
    expect(phrase).toBe('Acme');
    const unasked = { ...form, fields: { ...others, _token: idle.fields['_token'] ?? '', _phrase: phrase } };
    const answers = [
      await admin.send(form, { reason: 'a drill' }),
      await admin.send(form, { reason: 'a drill', _typed: 'acme' }),
      await admin.send(form, { reason: 'a drill', _phrase: '', _typed: '' }),
      await admin.send(unasked, { reason: 'a drill', _typed: 'Acme' }),
    ];
    expect(answers.map(({ status: is }) => is)).toEqual([422, 422, 403, 403]);
    expect(textOf(answers[0]?.html ?? '')).toContain('to confirm it, type Acme');
    expect((await operate(agent, 'GET', buyer)).body['suspended_at']).toBeNull();
    expect((await admin.send(form, { reason: 'a drill', _typed: ' Acme ' })).status).toBe(303);
    expect((await operate(agent, 'GET', buyer)).body['suspended_at']).not.toBeNull();
  });
});
