import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { OperatorCall } from '../../src/admin/operator/operation.ts';
import { invitePerson } from '../../src/admin/operator/people/operations.ts';
import { createLink } from '../../src/admin/operator/sign-in/operations.ts';
import { startSession } from '../../src/admin/session.ts';
import { createOidcClient } from '../../src/directory/oauth/oidc-client.ts';
import { SHARED_KEY_NAME, SHARED_KEY_OPERATOR } from '../../src/directory/operator/operator.ts';
import { addPerson } from '../../src/directory/operator/person.ts';
import { sealer } from '../../src/platform/crypto/sealer.ts';
import { createOutbound } from '../../src/platform/outbound/outbound-client.ts';
import type { SecurityKind } from '../../src/platform/security/security-kinds.ts';
import { silent } from '../directory/support/installation.ts';
import { openBudgets } from '../support/open-budgets.ts';
import { oidcWayBack, openConsoleBrowser } from './support/console-browser.ts';
import { startConsole } from './support/console.ts';
import type { Console } from './support/console.ts';
import { CLIENT, openIdentityProvider } from './support/identity-provider.ts';
import type { IdentityProvider } from './support/identity-provider.ts';

const outbound = createOutbound({ allowLoopback: true, trustsUrls: true });
const budgets = openBudgets();
const events: [kind: SecurityKind, reason: string | undefined][] = [];
let provider: IdentityProvider;
let at: Console;

beforeAll(async () => {
  at = await startConsole({
    hasLinks: false,
    security: { record: (kind, facts) => events.push([kind, facts?.reason]), close: () => undefined },
    oidc: async (clock) => {
      provider = await openIdentityProvider(clock);
      const client = createOidcClient({ issuer: provider.issuer, ...CLIENT, outbound, clock, log: silent });
      return { client, sealer: sealer('a secret of this test that is long enough'), budgets: budgets.budgets };
    },
  });
});
afterAll(async () => {
  await at.close();
  await Promise.all([provider.close(), outbound.close(), budgets.close()]);
});
beforeEach(() => {
  events.length = 0;
});

const get = (path: string, cookie = '') => fetch(at.baseUrl + path, { headers: { cookie }, redirect: 'manual' });
const nothing = { params: undefined, query: undefined };
const call = (): OperatorCall =>
  ({
    ...at,
    ...{ operator: SHARED_KEY_OPERATOR, by: SHARED_KEY_NAME, action_id: `act_${randomUUID()}` },
    onlySignInAt: 'login.publisher.example',
  }) as unknown as OperatorCall;

describe('[S5.oidc-only] where one-time links are switched off', () => {
  it('a link that was made before opens nothing, and the page says where to sign in', async () => {
    const link = new URL(await at.signInLink());
    const asked = await get(link.pathname + link.search);
    expect(asked.status).toBe(401);
    const page = await asked.text();
    expect(page).toContain(`Sign in at ${new URL(provider.issuer).host}`);
    expect(page).toContain('switched off');
    const redeemed = await fetch(`${at.baseUrl}/admin/sign-in`, {
      method: 'POST',
      headers: { 'sec-fetch-site': 'same-origin' },
      body: new URLSearchParams({ token: link.searchParams.get('token') ?? '' }),
    });
    expect([redeemed.status, redeemed.headers.get('set-cookie')]).toEqual([401, null]);
    expect(events).toEqual([
      ['console.link_refused', undefined],
      ['console.link_refused', 'links are switched off'],
    ]);
  });

  it("a session of the shared key, which a link began, is over, and a person's goes on", async () => {
    const person = await addPerson(at, { name: 'Ann', email: 'a@x.example', role: 'viewer', by: 'a test', click: 'a' });
    const cookie = async (person_id: string | null) =>
      `console_session=${await startSession(at, { person_id, role: 'admin' }, undefined)}`;
    expect((await get('/admin', await cookie(null))).status).toBe(401);
    expect((await get('/admin', await cookie(person.person_id))).status).toBe(303);
  });

  it('no link is made, which is told with where to sign in instead', async () => {
    await expect(createLink.handle({ ...nothing, body: {} }, call())).rejects.toMatchObject({
      code: 'INVALID_STATE',
      message: expect.stringContaining('sign in at login.publisher.example') as string,
    });
  });

  it('a person is invited by the address that the provider knows, and signs in there', async () => {
    const email = 'bo@publisher.example';
    const invite = (body: { name: string; email?: string; role: 'operator' }) =>
      invitePerson.handle({ ...nothing, body }, call());
    await expect(invite({ name: 'Bo', role: 'operator' })).rejects.toMatchObject({ details: { field: 'email' } });
    const { sign_in_url, person_id } = await invite({ name: 'Bo', email, role: 'operator' });
    expect(sign_in_url).toBeNull();
    provider.person = { sub: 'bo', email, email_verified: true };
    const browser = openConsoleBrowser(at.baseUrl);
    expect((await browser.get(await oidcWayBack(browser))).status).toBe(303);
    expect((await browser.get('/admin')).status).toBe(303);
    expect(person_id).toMatch(/^person_/);
  });
});

it('[S5.oidc] however many sign-ins strangers begin at once, the provider is asked once where they go', async () => {
  let asked = 0;
  const counted: typeof outbound = {
    ...outbound,
    fetchJson: (...given) => {
      asked++;
      return outbound.fetchJson(...given);
    },
  };
  const { clock } = at;
  const asks = {
    state: 's',
    nonce: 'n',
    code_verifier: 'v',
    redirect_uri: `${at.baseUrl}/admin/sign-in/oidc/callback`,
  };
  const askedFor = async (signIns: number) => {
    const client = createOidcClient({ issuer: provider.issuer, ...CLIENT, outbound: counted, clock, log: silent });
    asked = 0;
    const urls = await Promise.all(Array.from({ length: signIns }, () => client.authorizationUrl(asks)));
    expect(new Set(urls).size).toBe(1);
    return asked;
  };
  expect(await askedFor(50)).toBe(await askedFor(1));
});
