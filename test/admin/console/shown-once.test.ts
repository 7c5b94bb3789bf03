import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { shownOnce } from '../../../src/admin/console/shown-once.tsx';
import { invitePerson, showPerson } from '../../../src/admin/operator/people/operations.ts';
import { COLLECTIONS } from '../../../src/main/wiring/collections.ts';
import { SCOPES } from '../../../src/directory/caller.ts';
import type { CollectionSpec, Row } from '../../../src/platform/store/collection.ts';
import { operate } from '../../journeys/support/operator.ts';
import { startTestAgent } from '../../journeys/support/test-agent.ts';
import type { TestAgent } from '../../journeys/support/test-agent.ts';
import { describeOnStores } from '../../support/stores.ts';
import { until } from '../../support/until.ts';
import { callOf } from './support/shell-line.ts';
import { formsIn, textOf, visitorOf } from './support/visitor.ts';
import type { Shown, Visitor } from './support/visitor.ts';

describeOnStores('what the console shows once, on %s', (store) => {
  let agent: TestAgent;
  let admin: Visitor;
  let viewer: Visitor;
  let buyer: string;
  const lines: string[] = [];
  beforeAll(async () => {
    const log = pino({ level: 'trace' }, { write: (line: string) => lines.push(line) });
    agent = await startTestAgent(store, { log, working: false });
    [admin, viewer] = await Promise.all([visitorOf(agent, 'admin'), visitorOf(agent, 'viewer')]);
    const { body } = await operate(agent, 'POST', '/buyers/add', { name: 'Acme' });
    buyer = `/buyers/${String(body['organization_id'])}`;
  });
  afterAll(() => agent.stop());

  const shownIn = ({ html }: Shown, id: string): string | undefined => {
    const found = new RegExp(`<pre [^>]*id="${id}">([^<]*)</pre>`).exec(html)?.[1];
    return found === undefined ? undefined : textOf(found);
  };
  const secretIn = (shown: Shown): string => {
    expect(shown.status).toBe(200);
    expect(shown.headers.get('cache-control')).toBe('no-store');
    const secret = shownIn(shown, 'secret') ?? '';
    expect(secret.length).toBeGreaterThan(40);
    return secret;
  };
  const keysOf = async (path: string) =>
    (await operate(agent, 'GET', path)).body as unknown as {
      api_keys: {
        api_key_id: string;
        name: string;
        scopes: string[];
        expires_at: string | null;
        last_used_at: string | null;
      }[];
      operator_keys: { operator_key_id: string; name: string }[];
    };
  const newKey = async (name: string, more: Record<string, string> = {}) => {
    const form = await admin.form(`${buyer}/keys/new`, 'Make the key');
    return { form, shown: await admin.send(form, { name, scopes: 'tasks:read', ...more }) };
  };

  it('[O1.once] a key made on a buyer’s page works in the line beside it, until it is revoked there', async () => {
    const { shown } = await newKey('first');
    const key = secretIn(shown);
    const line = shownIn(shown, 'call') ?? '';
    expect(line).toContain(key);
    const answer = await callOf(line);
    expect(answer.status).toBe(200);
    expect(answer.body).toContain('product_id');

    const { html: keys } = await admin.get(buyer);
    expect(keys).toMatch(
      /<td[^>]* data-label="Actions"><details><summary>Reroll<\/summary>.*<summary>Revoke<\/summary>/s,
    );
    const revoke = await admin.form(buyer, 'Revoke for good');
    expect((await admin.send(revoke, { reason: 'a drill' })).status).toBe(303);
    const refused = await until(async () => {
      const now = await callOf(line);
      return now.status === 200 ? undefined : now;
    });
    expect(refused.status).toBe(401);
    const { html } = await admin.get(buyer);
    expect(formsIn(html).filter(({ button }) => button === 'Revoke for good')).toEqual([]);
    expect(html).toContain('revoked');
  });

  it.each(SCOPES.filter((scope) => scope.endsWith(':read')))(
    '[O1.once] the line beside a key that has %s alone is one that it may call',
    async (scope) => {
      const { shown } = await newKey(`only ${scope}`, { scopes: scope });
      expect((await callOf(shownIn(shown, 'call') ?? '')).status).toBe(200);
    },
  );

  it('shows no line for a key that only changes things', async () => {
    const { shown } = await newKey('writes', { scopes: 'tasks:write' });
    secretIn(shown);
    expect(shownIn(shown, 'call')).toBeUndefined();
  });

  it('[O1.once] says beside a rerolled key until when the former one is good, as the other times stand', async () => {
    await newKey('rerolled');
    const shown = await admin.send(await admin.form(buyer, 'Reroll it'), { overlap_days: '7' });
    secretIn(shown);
    expect(textOf(shown.html)).toMatch(
      / is good until <time [^>]*>\d{4}-\d\d-\d\d \d\d:\d\d<\/time>, and opens nothing/,
    );
  });

  it('makes the key as it was asked for: name, scopes, end; and none where no scope is chosen', async () => {
    const { form, shown } = await newKey('production');
    secretIn(shown);
    const { html } = await admin.get(`${buyer}/keys/new`);
    const [end = ''] = [...html.matchAll(/<option value="([^"]+)" selected>/g)].map(([, value]) => value);
    const ending = await newKey('ending', { expires_at: end });
    secretIn(ending.shown);
    const { api_keys } = await keysOf(`${buyer}/keys`);
    expect(api_keys.find(({ name }) => name === 'production')).toMatchObject({
      ...{ scopes: ['tasks:read'], expires_at: null },
    });
    expect(api_keys.find(({ name }) => name === 'ending')?.expires_at).toBe(end);
    expect(form.fields['_needs']).toBe('scopes');
    const none = await admin.send(await admin.form(`${buyer}/keys/new`, 'Make the key'), {
      name: 'nothing',
      scopes: '',
    });
    expect([none.status, textOf(none.html).includes('“It may” must have at least one')]).toEqual([422, true]);
    expect((await keysOf(`${buyer}/keys`)).api_keys.map(({ name }) => name)).not.toContain('nothing');
  });

  it('[O1.once] sent again it makes no second key, and leaves the one that has been used', async () => {
    const { form, shown } = await newKey('again');
    const first = secretIn(shown);
    const again = await admin.send(form, { name: 'again', scopes: 'tasks:read' });
    const second = secretIn(again);
    expect(second).not.toBe(first);
    expect((await keysOf(`${buyer}/keys`)).api_keys.filter(({ name }) => name === 'again')).toHaveLength(1);
    const line = shownIn(again, 'call') ?? '';
    expect((await callOf(line)).status).toBe(200);
    await until(async () =>
      (await keysOf(`${buyer}/keys`)).api_keys.find(
        ({ name, last_used_at }) => name === 'again' && last_used_at !== null,
      ),
    );
    const late = await admin.send(form, { name: 'again', scopes: 'tasks:read' });
    expect([late.status, textOf(late.html).includes('this key was made and shown')]).toEqual([409, true]);
    expect((await callOf(line)).status).toBe(200);
  });

  it('[O1.once] stands on no later page, in no log and in no stored row', async () => {
    const secrets: string[] = [];
    secrets.push(secretIn((await newKey('hidden')).shown));
    const made = await Promise.all([
      admin.form('/people', 'Invite').then((form) => admin.send(form, { name: `Ann ${store}`, role: 'viewer' })),
      admin.form('/people', 'Make a program’s key').then((form) => admin.send(form, { name: 'robot', role: 'viewer' })),
    ]);
    secrets.push(...made.map(secretIn));
    const { people } = (await operate(agent, 'GET', '/people')).body as unknown as { people: { person_id: string }[] };
    const person = `/people/${people[0]?.person_id ?? ''}`;
    secrets.push(secretIn(await admin.send(await admin.form(person, 'Make a sign-in link'))));
    expect(new Set(secrets).size).toBe(4);
    const pages = [
      '/people',
      person,
      '/me',
      '',
      '/buyers',
      buyer,
      `${buyer}/keys/new`,
      '/audit',
      '/tasks',
      `${buyer}?done=buyers.add_key`,
    ];
    for (const path of pages) {
      const { status: is, html } = await admin.get(path);
      expect([path, is]).toEqual([path, 200]);
      for (const secret of secrets) expect([path, html.includes(secret)]).toEqual([path, false]);
    }
    for (const secret of secrets) {
      expect(lines.filter((line) => line.includes(secret))).toEqual([]);
      for (const spec of COLLECTIONS as unknown as CollectionSpec<Row>[]) {
        const { rows } = await agent.core.store.collection(spec).find({ where: {}, limit: 1000 });
        expect([spec.name, JSON.stringify(rows).includes(secret)]).toEqual([spec.name, false]);
      }
    }
    expect(lines.join('')).toContain('buyers.add_key');
  });

  it('[O1.forms] a viewer is shown no form for it, and is told which role it takes', async () => {
    const { html } = await viewer.get(buyer);
    expect(formsIn(html)).toEqual([]);
    expect(html).not.toContain('/keys/new');
    expect(html).toContain('takes the role admin; yours is viewer');
    const page = await viewer.get(`${buyer}/keys/new`);
    expect([page.status, textOf(page.html).includes('this takes the role admin')]).toEqual([403, true]);
  });

  it('[O1.text] hostile names of a buyer and of a key are text', async () => {
    const name = `"><img src=x onerror=alert(1)> 'O&Co'`;
    const { body } = await operate(agent, 'POST', '/buyers/add', { name });
    const page = `/buyers/${String(body['organization_id'])}`;
    const form = await admin.form(`${page}/keys/new`, 'Make the key');
    const shown = await admin.send(form, { name, scopes: 'tasks:read' });
    const key = secretIn(shown);
    expect(shownIn(shown, 'call')).toContain(key);
    for (const { html } of [
      shown,
      await admin.get(page),
      await admin.get(`${page}/keys/new`),
      await admin.get('/buyers'),
    ]) {
      expect(html).not.toContain('<img');
      expect(textOf(html)).toContain(name);
    }
  });
});

it('[O1.once] where links are switched off, an invitation says where the person signs in', () => {
  const person = {
    ...{ person_id: 'person_1', name: 'Bo <b>', email: 'bo@seller.example', role: 'viewer', state: 'active' },
    ...{ created_at: 'then', invited_by: 'Ann', removed_at: null, removed_by: null, sign_in_url: null },
  };
  const once = shownOnce(invitePerson, person, { baseUrl: 'https://seller.example', back: '/admin/people' });
  expect(textOf(String(once?.body))).toContain('signs in at the identity provider as bo@seller.example');
  expect(String(once?.body)).not.toContain('<b>');
  expect(shownOnce(showPerson, person, { baseUrl: 'https://seller.example', back: '/admin' })).toBeUndefined();
});
