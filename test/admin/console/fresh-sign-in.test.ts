import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../../src/admin/operator/operations.ts';
import { createSignInLink } from '../../../src/admin/sign-in-link.ts';
import { testClock } from '../../directory/support/installation.ts';
import { operate } from '../../journeys/support/operator.ts';
import { startTestAgent } from '../../journeys/support/test-agent.ts';
import type { TestAgent } from '../../journeys/support/test-agent.ts';
import { describeOnStores } from '../../support/stores.ts';
import { formsIn, textOf, visitorOf } from './support/visitor.ts';
import type { Shown, ShownForm, Visitor } from './support/visitor.ts';

const AGAIN = '/admin/sign-in-again';
const MINUTE = 60_000;
/** What a key's form must choose one of. */
const SCOPE = { scopes: 'tasks:read' };

describe('[O1.fresh] a sign-in of late', () => {
  it('is asked for by what hands out access or takes it back, and what concerns signing keys', () => {
    const asking = operations.filter((one) => one.asksFreshSignIn === true).map(({ action }) => action);
    expect(asking.sort()).toEqual([
      ...['buyers.add_key', 'buyers.reroll_key', 'buyers.revoke_key', 'keys.revoke', 'keys.rotate'],
      ...['operator_keys.add', 'operator_keys.revoke', 'people.invite', 'people.remove', 'people.role'],
      ...['portal_links.create', 'sign_in_links.create'],
    ]);
    // A secret that opens something is never had by an old sign-in.
    const secrets = operations.filter((one) => one.hasSecret === true).map(({ action }) => action);
    expect(secrets.filter((action) => !asking.includes(action))).toEqual([]);
  });
});

describeOnStores('[O1.fresh] a form that asks for a sign-in of late on %s', (kind) => {
  const clock = testClock();
  let agent: TestAgent;
  beforeAll(async () => {
    agent = await startTestAgent(kind, { working: false, clock });
  });
  afterAll(() => agent.stop());

  const KEYS = '/buyers/org_demo_buyer/keys';
  const keys = async () => (await operate(agent, 'GET', KEYS)).body['api_keys'] as { name: string; scopes: string[] }[];
  const named = async (name: string) => (await keys()).filter((key) => key.name === name);
  const keyForm = (by: Visitor) => by.form(`${KEYS}/new`, 'Make the key');

  /** Signs in by a link with the visitor's own browser. */
  async function signInAgain(by: Visitor, holder?: { person_id: string }): Promise<{ visitor: Visitor; to: string }> {
    const whom = { person_id: holder?.person_id ?? by.person_id, role: 'admin' } as const;
    const token = new URL(await createSignInLink(agent.core, agent.baseUrl, whom)).searchParams.get('token') ?? '';
    const answer = await fetch(`${agent.baseUrl}/admin/sign-in`, {
      ...{ method: 'POST', redirect: 'manual' },
      headers: { cookie: by.cookie, 'sec-fetch-site': 'same-origin' },
      body: new URLSearchParams({ token }),
    });
    const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    return { visitor: visitorWith(by, cookie), to: answer.headers.get('location') ?? '' };
  }
  function visitorWith(by: Visitor, cookie: string): Visitor {
    const get = async (path: string): Promise<Shown> => {
      const answer = await fetch(`${agent.baseUrl}/admin${path}`, { headers: { cookie }, redirect: 'manual' });
      return { status: answer.status, headers: answer.headers, html: await answer.text() };
    };
    return {
      ...{ ...by, cookie, get },
      async form(path, button) {
        const found = formsIn((await get(path)).html).find((form) => form.button === button);
        if (found === undefined) throw new Error(`${path} has no form with the button ${button}`);
        return found;
      },
      send: (form, fields, headers) => by.send(form, fields, { cookie, ...headers }),
    };
  }
  const sendTo = (by: Visitor, form: ShownForm, fields: Record<string, string>) => by.send(form, fields);

  it('is done at once within 15 minutes of the sign-in, and not after', async () => {
    const admin = await visitorOf(agent, 'admin');
    const words =
      'This takes a sign-in of the last 15 minutes, and yours is older: you are asked to sign in again first';
    const isTold = async (path: string) => textOf((await admin.get(path)).html).includes(words);
    clock.advance(15 * MINUTE - 1);
    expect(await isTold(`${KEYS}/new`)).toBe(false);
    const early = await sendTo(admin, await keyForm(admin), { ...SCOPE, name: 'early' });
    expect([early.status, early.html.includes('shown this once')]).toEqual([200, true]);
    clock.advance(2);
    // Said by each form that asks for one, and by no other.
    expect([await isTold(`${KEYS}/new`), await isTold('/buyers')]).toEqual([true, false]);
    const late = await sendTo(admin, await keyForm(admin), { ...SCOPE, name: 'late' });
    expect([late.status, late.headers.get('location')]).toEqual([303, AGAIN]);
    expect([(await named('early')).length, (await named('late')).length]).toEqual([1, 0]);
    // Nothing else asks for one.
    expect((await admin.get('/buyers')).status).toBe(200);
  });

  it('says why and how, and after a sign-in by the same person is there as it was typed; one click does it, once', async () => {
    const admin = await visitorOf(agent, 'admin');
    clock.advance(16 * MINUTE);
    const typed = { name: 'Zoë’s <key> & "more"', scopes: ['tasks:read', 'webhooks:read'] };
    const former = await keyForm(admin);
    const several = new URLSearchParams({ ...former.fields, name: typed.name });
    for (const scope of typed.scopes) several.append('scopes', scope);
    const sent = await fetch(`${agent.baseUrl}${former.action}`, {
      ...{ method: 'POST', redirect: 'manual', body: several },
      headers: { cookie: admin.cookie, 'sec-fetch-site': 'same-origin' },
    });
    expect([sent.status, sent.headers.get('location')]).toEqual([303, AGAIN]);
    const asks = textOf((await admin.get('/sign-in-again')).html);
    for (const words of [
      'Sign in again',
      'Nothing has been done',
      `npm run agent -- sign-in --person ${admin.person_id}`,
    ])
      expect(asks).toContain(words);
    expect(formsIn(asks)).toEqual([]);

    const { visitor, to } = await signInAgain(admin);
    expect(to).toBe(AGAIN);
    expect((await admin.get('')).status).toBe(401);
    const page = await visitor.get('/sign-in-again');
    expect(textOf(page.html)).toContain(typed.name);
    expect(textOf(page.html)).toContain(typed.scopes.join(', '));
    const [form] = formsIn(page.html);
    if (form === undefined) throw new Error('the form has not come back');
    expect(form.fields['_click']).toBe(former.fields['_click']);
    const done = await visitor.send(form);
    expect([done.status, done.html.includes('shown this once')]).toEqual([200, true]);
    expect(await named(typed.name)).toMatchObject([{ scopes: typed.scopes }]);
    // It is over: sent again it is the same click, changed it is none, and the next sign-in leads to the overview.
    expect((await visitor.send(form)).status).toBe(200);
    expect((await visitor.send(form, { _click: 'another' })).status).toBe(404);
    expect((await visitor.get('/sign-in-again')).html).toContain('Nothing waits for you');
    expect(await named(typed.name)).toHaveLength(1);
    expect((await signInAgain(visitor)).to).toBe('/admin');
  });

  it('keeps what had to be typed to confirm it', async () => {
    const admin = await visitorOf(agent, 'admin');
    const { person_id, name } = await visitorOf(agent, 'viewer');
    clock.advance(16 * MINUTE);
    const remove = await admin.form(`/people/${person_id}`, 'Remove for good');
    const phrase = remove.fields['_phrase'] ?? '';
    expect((await admin.send(remove, { _typed: 'other', reason: 'left' })).status).toBe(422);
    expect((await admin.send(remove, { _typed: phrase, reason: 'left\r\nat once' })).status).toBe(303);
    const { visitor } = await signInAgain(admin);
    const [form] = formsIn((await visitor.get('/sign-in-again')).html);
    if (form === undefined) throw new Error('the form has not come back');
    expect((await visitor.send(form)).status).toBe(303);
    const { body } = await operate(agent, 'GET', `/people/${person_id}`);
    expect([body['name'], body['removed_at'] !== null]).toEqual([name, true]);
  });

  it('is shown to nobody else who signs in with the same browser, and is kept for half an hour', async () => {
    const [admin, other] = await Promise.all([visitorOf(agent, 'admin'), visitorOf(agent, 'admin')]);
    clock.advance(16 * MINUTE);
    await sendTo(admin, await keyForm(admin), { ...SCOPE, name: 'private words' });
    const theirs = await signInAgain(admin, other);
    expect(theirs.to).toBe('/admin');
    expect((await theirs.visitor.get('/sign-in-again')).html).not.toContain('private words');

    const again = await visitorOf(agent, 'admin');
    clock.advance(16 * MINUTE);
    await sendTo(again, await keyForm(again), { ...SCOPE, name: 'private words' });
    clock.advance(30 * MINUTE);
    expect((await again.get('/sign-in-again')).html).not.toContain('private words');
    expect((await signInAgain(again)).to).toBe('/admin');
    expect(await named('private words')).toEqual([]);
  });

  it('is asked of sessions alone: a key of the operator API proves itself with each call', async () => {
    clock.advance(24 * 60 * MINUTE);
    const made = await operate(agent, 'POST', `${KEYS}/add`, { name: 'by the API' });
    expect(made.status).toBe(200);
  });
});

describe('[O1.fresh] FRESH_SIGN_IN_MINUTES', () => {
  it('is how old a sign-in may be; 0: as old as the session', async () => {
    for (const [minutes, after, status] of [
      ['60', 59, 200],
      ['60', 61, 303],
      ['0', 110, 200],
    ] as const) {
      const clock = testClock();
      const agent = await startTestAgent('sqlite', {
        ...{ working: false, clock, env: { FRESH_SIGN_IN_MINUTES: minutes } },
      });
      const admin = await visitorOf(agent, 'admin');
      clock.advance(after * MINUTE);
      const form = await admin.form('/buyers/org_demo_buyer/keys/new', 'Make the key');
      expect([minutes, after, (await admin.send(form, { ...SCOPE, name: 'one' })).status]).toEqual([
        minutes,
        after,
        status,
      ]);
      await agent.stop();
    }
  });
});
