import { randomUUID } from 'node:crypto';
import { generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import type { JWTPayload } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { usedStates } from '../../src/admin/pending-sign-in.ts';
import { formToken } from '../../src/admin/console/form-token.ts';
import { consoleSessions, operatorOfSession } from '../../src/admin/session.ts';
import { addPerson, OperatorPeople, removePerson } from '../../src/directory/operator/person.ts';
import type { OperatorRole } from '../../src/directory/operator/operator.ts';
import type { RolesByClaim } from '../../src/directory/operator/role-by-claim.ts';
import { createOidcClient } from '../../src/directory/oauth/oidc-client.ts';
import { sealer } from '../../src/platform/crypto/sealer.ts';
import { createOutbound } from '../../src/platform/outbound/outbound-client.ts';
import type { Outbound } from '../../src/platform/outbound/outbound-client.ts';
import type { SecurityKind } from '../../src/platform/security/security-kinds.ts';
import { openBudgets } from '../support/open-budgets.ts';
import { silent } from '../directory/support/installation.ts';
import { oidcWayBack as wayBack, openConsoleBrowser } from './support/console-browser.ts';
import { startConsole } from './support/console.ts';
import type { Console } from './support/console.ts';
import { CLIENT, openIdentityProvider } from './support/identity-provider.ts';
import type { IdentityProvider } from './support/identity-provider.ts';

let at: Console;
let provider: IdentityProvider;
let outbound: Outbound;
let budgets = openBudgets();
let rolesByClaim: RolesByClaim | undefined;
/** What went on record. */
const events: [kind: SecurityKind, reason: string | undefined][] = [];

beforeAll(async () => {
  outbound = createOutbound({ allowLoopback: true, trustsUrls: true });
  at = await startConsole({
    security: { record: (kind, facts) => events.push([kind, facts?.reason]), close: () => undefined },
    oidc: async (clock) => {
      provider = await openIdentityProvider(clock);
      const client = createOidcClient({ issuer: provider.issuer, ...CLIENT, outbound, clock, log: silent });
      return {
        client,
        get rolesByClaim() {
          return rolesByClaim;
        },
        sealer: sealer('a secret of this test that is long enough'),
        get budgets() {
          return budgets.budgets;
        },
      };
    },
  });
});
afterAll(async () => {
  await at.close();
  await Promise.all([provider.close(), outbound.close(), budgets.close()]);
});
beforeEach(async () => {
  await budgets.close();
  budgets = openBudgets();
  events.length = 0;
  rolesByClaim = undefined;
  Object.assign(provider, { person: {}, claims: (good: JWTPayload) => good, sign: undefined, iss: undefined });
  Object.assign(provider, { error: undefined, isAway: false, metadata: {} });
  // Keys and metadata are asked for anew.
  at.clock.advance(11 * 60_000);
});

const browser = () => openConsoleBrowser(at.baseUrl);
async function signIn(by = browser()) {
  return by.get(await wayBack(by));
}

let people = 0;
async function invite(email: string | undefined, role: OperatorRole = 'operator') {
  return addPerson(at, { name: `person ${++people}`, email, role, by: 'a test', click: randomUUID() });
}
/** An invited person, who is signed in at the provider. */
async function known(role: OperatorRole = 'operator') {
  const email = `${randomUUID()}@publisher.example`;
  const person = await invite(email, role);
  provider.person = { sub: randomUUID(), email, email_verified: true };
  return { email, person };
}
const read = (person_id: string) => at.store.collection(OperatorPeople).get(person_id);

describe("[S5.oidc] sign-in by the organization's provider", () => {
  it('lets in who was invited, by code, PKCE and nonce, under their own name and role', async () => {
    const { person } = await known('viewer');
    const by = browser();
    const page = await by.get('/admin');
    expect(page).toMatchObject({ status: 401 });
    expect(page.text).toContain(`href="/admin/sign-in/oidc">Sign in at ${new URL(provider.issuer).host}</a>`);
    const away = await by.get('/admin/sign-in/oidc');
    expect(Object.fromEntries(new URL(away.location).searchParams)).toMatchObject({
      ...{ response_type: 'code', client_id: CLIENT.clientId, code_challenge_method: 'S256' },
      ...{ scope: 'openid email profile', redirect_uri: `${at.baseUrl}/admin/sign-in/oidc/callback` },
    });
    expect(away.headers.getSetCookie()[0]).toMatch(
      /^console_oidc_[0-7]=s1\.\S+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/,
    );
    const signedIn = await by.get((await by.get(away.location)).location);
    expect(signedIn).toMatchObject({ status: 303, location: '/admin' });
    expect([...by.jar.keys()]).toEqual(['console_session']);
    expect((await by.get('/admin/queues')).status).toBe(200);
    const { name, person_id } = person;
    expect(await operatorOfSession(at, by.jar.get('console_session'))).toMatchObject({
      name,
      role: 'viewer',
      person_id,
    });
    expect(events).toEqual([['console.oidc_signed_in', 'first sign-in by this account']]);
  });

  it('binds the account the first time, and knows it by that from then on, whatever its address is', async () => {
    const { person, email } = await known();
    expect((await signIn()).status).toBe(303);
    const { sub } = provider.person as { sub: string };
    expect(await read(person.person_id)).toMatchObject({ oidc: { issuer: provider.issuer, subject: sub } });
    provider.person = { sub, email: 'married@publisher.example', email_verified: false };
    expect((await signIn()).status).toBe(303);
    // The address has become somebody else's, who has an account of their own.
    provider.person = { sub: randomUUID(), email, email_verified: true };
    expect(await signIn()).toMatchObject({
      status: 403,
      text: expect.stringContaining('by another account') as string,
    });
    expect(events.map(([kind, reason]) => [kind, reason])).toEqual([
      ['console.oidc_signed_in', 'first sign-in by this account'],
      ['console.oidc_signed_in', undefined],
      ['console.oidc_refused', 'another'],
    ]);
  });

  it('makes nobody a person, and lets nobody in who was not invited, is not verified, shares an address or has gone', async () => {
    const email = `${randomUUID()}@publisher.example`;
    provider.person = { sub: randomUUID(), email, email_verified: true };
    const before = await at.store.collection(OperatorPeople).count({});
    expect(await signIn()).toMatchObject({
      status: 403,
      text: expect.stringContaining('Nobody has invited you') as string,
    });
    await invite(email);
    for (const email_verified of [false, 'true', undefined]) {
      provider.person = { ...provider.person, email_verified };
      expect(await signIn()).toMatchObject({ status: 403, text: expect.stringContaining('is verified') as string });
    }
    await invite(email.toUpperCase());
    provider.person = { ...provider.person, email_verified: true };
    expect(await signIn()).toMatchObject({ status: 403, text: expect.stringContaining('Several people') as string });
    const { person } = await known();
    expect((await signIn()).status).toBe(303);
    await removePerson(at, person.person_id, 'a test');
    expect(await signIn()).toMatchObject({
      status: 403,
      text: expect.stringContaining('Nobody has invited you') as string,
    });
    expect(await at.store.collection(OperatorPeople).count({})).toBe(before + 3);
    expect(events.map(([, reason]) => reason)).toEqual([
      ...['nobody', 'unverified', 'unverified', 'unverified', 'several'],
      ...['first sign-in by this account', 'nobody'],
    ]);
  });

  it('ends the session that the browser had, and signs out of the console alone', async () => {
    await known();
    const by = browser();
    await signIn(by);
    const former = by.jar.get('console_session');
    await signIn(by);
    expect(await operatorOfSession(at, former)).toBeUndefined();
    const cookie = `console_session=${by.jar.get('console_session') ?? ''}`;
    const out = await fetch(`${at.baseUrl}/admin/sign-out`, {
      method: 'POST',
      headers: { cookie, 'sec-fetch-site': 'same-origin' },
      body: new URLSearchParams({ _token: formToken(by.jar.get('console_session') ?? '', '/sign-out') }),
    });
    expect(await out.text()).toContain('you may be signed in still');
    expect(await operatorOfSession(at, by.jar.get('console_session'))).toBeUndefined();
  });
});

describe('[S5.oidc-roles] roles by a claim of the provider', () => {
  it('let in who has one and was not invited, end other sessions where the role has changed, and refuse who has lost it', async () => {
    rolesByClaim = {
      claim: 'groups',
      roles: new Map([
        ['ads-desk', 'operator'],
        ['ads-admins', 'admin'],
      ]),
    };
    const email = `${randomUUID()}@publisher.example`;
    provider.person = { sub: randomUUID(), email, email_verified: true, groups: ['staff', 'ads-desk', 7] };
    const by = browser();
    expect((await signIn(by)).status).toBe(303);
    const former = by.jar.get('console_session');
    const signedIn = await operatorOfSession(at, former);
    expect(signedIn).toMatchObject({ name: email, role: 'operator' });
    provider.person = { ...provider.person, groups: ['ads-admins', 'ads-desk'] };
    const other = browser();
    expect((await signIn(other)).status).toBe(303);
    const { person_id } = signedIn ?? {};
    expect(await operatorOfSession(at, other.jar.get('console_session'))).toMatchObject({ person_id, role: 'admin' });
    expect(await operatorOfSession(at, former)).toBeUndefined();
    provider.person = { ...provider.person, groups: ['staff'] };
    expect(await signIn()).toMatchObject({ status: 403, text: expect.stringContaining('gives you no role') as string });
    expect(events).toEqual([
      ['person.invited', 'role operator by claim'],
      ['console.oidc_signed_in', 'first sign-in by this account'],
      ['person.role_changed', 'role admin by claim'],
      ['console.oidc_signed_in', undefined],
      ['console.oidc_refused', 'unclaimed'],
    ]);
  });

  it('let nobody in whose address is not verified, or whose token has no word that counts', async () => {
    rolesByClaim = { claim: 'groups', roles: new Map([['ads-admins', 'admin']]) };
    const email = `${randomUUID()}@publisher.example`;
    for (const [said, why] of [
      [{ email_verified: false, groups: 'ads-admins' }, 'unverified'],
      [{ email_verified: true, groups: 'Ads-Admins' }, 'nobody'],
      [{ email_verified: true, groups: { 'ads-admins': true } }, 'nobody'],
      [{ email_verified: true, roles: ['ads-admins'] }, 'nobody'],
      [{ email_verified: true }, 'nobody'],
    ] as const) {
      provider.person = { sub: randomUUID(), email, ...said };
      expect((await signIn()).status).toBe(403);
      expect(events.at(-1)).toEqual(['console.oidc_refused', why]);
    }
  });
});

describe('[S5.oidc] what is brought back to the console', () => {
  const refused = async (answer: ReturnType<typeof signIn>, status: number, why: string) => {
    const sessions = () => at.store.collection(consoleSessions).count({});
    const before = await sessions();
    expect(await answer).toMatchObject({ status });
    expect(events.at(-1)).toEqual(['console.oidc_refused', expect.stringContaining(why)]);
    expect(await sessions()).toBe(before);
  };

  it('is taken from the browser that began, once, and within ten minutes', async () => {
    await known();
    const victim = browser();
    const back = await wayBack(victim);
    const stale = 'state of another browser';
    await refused(browser().get(back), 400, stale);
    const twin = browser();
    for (const [name, value] of victim.jar) twin.jar.set(name, value);
    expect((await victim.get(back)).status).toBe(303);
    await refused(twin.get(back), 400, stale);
    const other = browser();
    const late = await wayBack(other);
    at.clock.advance(600_000);
    await refused(other.get(late), 400, stale);
    // One state in the cookie of another.
    const [one, two] = [browser(), browser()];
    const [backOfOne, backOfTwo] = [await wayBack(one), await wayBack(two)];
    const stateOf = (url: string) => new URL(url).searchParams.get('state') ?? '';
    one.jar.set(`console_oidc_${stateOf(backOfTwo).charCodeAt(0) % 8}`, [...one.jar.values()][0] ?? '');
    await refused(one.get(backOfTwo), 400, stale);
    expect((await one.get(backOfOne)).status).toBe(303);
    expect(await at.store.collection(usedStates).count({})).toBeGreaterThan(0);
  });

  it('of twenty ways back at once one signs in', async () => {
    await known();
    const by = browser();
    const back = await wayBack(by);
    const jar = [...by.jar];
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => {
        const copy = browser();
        for (const [name, value] of jar) copy.jar.set(name, value);
        return copy.get(back);
      }),
    );
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(1);
  });

  it.each([
    [
      'no state',
      (url: URL) => {
        url.searchParams.delete('state');
      },
      400,
      'no state',
    ],
    [
      'a state of another form',
      (url: URL) => {
        url.searchParams.set('state', '../x;y');
      },
      400,
      'no state',
    ],
    [
      'two states',
      (url: URL) => {
        url.searchParams.append('state', 'x');
      },
      400,
      'no state',
    ],
    [
      'no code',
      (url: URL) => {
        url.searchParams.delete('code');
      },
      403,
      'the provider said nothing that is known',
    ],
    [
      'a code of somebody else',
      (url: URL) => {
        url.searchParams.set('code', randomUUID());
      },
      403,
      'no ID token',
    ],
    [
      'the name of another provider',
      (url: URL) => {
        url.searchParams.set('iss', 'https://evil.example');
      },
      403,
      'another',
    ],
  ])('is refused with %s', async (_what, change, status, why) => {
    await known();
    const by = browser();
    const url = new URL(await wayBack(by));
    change(url);
    await refused(by.get(url.href), status, why);
  });

  it('must name its provider where the provider says that it does', async () => {
    await known();
    provider.metadata = { authorization_response_iss_parameter_supported: true };
    await refused(signIn(), 403, 'another provider');
    provider.iss = provider.issuer;
    expect((await signIn()).status).toBe(303);
  });

  it('may be an error, of which the page repeats nothing', async () => {
    await known();
    provider.error = 'access_denied';
    await refused(signIn(), 403, 'the provider said access_denied');
    provider.error = '<b>call 555</b>';
    const by = browser();
    expect((await signIn(by)).text).not.toContain('555');
    expect(events.at(-1)).toEqual(['console.oidc_refused', 'the provider said nothing that is known']);
  });

  const now = () => Math.floor(at.clock.now() / 1000);
  it.each<[string, (good: JWTPayload) => JWTPayload, string]>([
    ['another nonce', (good) => ({ ...good, nonce: 'x'.repeat(43) }), 'of another sign-in'],
    ['no nonce', ({ nonce: _none, ...good }) => good, 'ERR_JWT_CLAIM'],
    ['another audience', (good) => ({ ...good, aud: 'another application' }), 'ERR_JWT_CLAIM'],
    ['another party beside us', (good) => ({ ...good, aud: [CLIENT.clientId, 'other'] }), 'another application'],
    ['another authorized party', (good) => ({ ...good, azp: 'another application' }), 'another application'],
    ['another issuer', (good) => ({ ...good, iss: 'https://evil.example' }), 'ERR_JWT_CLAIM'],
    ['an end that is over', (good) => ({ ...good, exp: now() - 31 }), 'ERR_JWT_EXPIRED'],
    ['no end', ({ exp: _none, ...good }) => good, 'ERR_JWT_CLAIM'],
    ['an age of a day', (good) => ({ ...good, iat: now() - 86_400 }), 'ERR_JWT_EXPIRED'],
    ['nobody in it', ({ sub: _none, ...good }) => good, 'ERR_JWT_CLAIM'],
    ['an empty name', (good) => ({ ...good, sub: '' }), 'names nobody'],
  ])('with an ID token that has %s signs nobody in', async (_what, claims, why) => {
    await known();
    provider.claims = claims;
    await refused(signIn(), 403, why);
  });

  it.each<[string, (claims: JWTPayload) => Promise<string>]>([
    ['alg none', (claims) => Promise.resolve(new UnsecuredJWT(claims).encode())],
    [
      'the secret as an HMAC key',
      (claims) =>
        new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(CLIENT.clientSecret.padEnd(64))),
    ],
    [
      'a key of a stranger',
      async (claims) => {
        const { privateKey } = await generateKeyPair('ES256');
        return new SignJWT(claims).setProtectedHeader({ alg: 'ES256' }).sign(privateKey);
      },
    ],
    ['no token at all', () => Promise.resolve('a.b.c')],
  ])('with an ID token signed by %s signs nobody in', async (_what, sign) => {
    await known();
    provider.sign = sign;
    await refused(signIn(), 403, 'the ID token is not good');
  });
});

describe('[S5.oidc] the provider', () => {
  it('may change its keys: the new ones are fetched when they are met, and those that are gone count no more', async () => {
    await known();
    expect((await signIn()).status).toBe(303);
    await provider.rotate();
    at.clock.advance(31_000);
    expect((await signIn()).status).toBe(303);
  });

  it('may take the secret in the body alone', async () => {
    await known();
    provider.metadata = { token_endpoint_auth_methods_supported: ['client_secret_post'] };
    expect((await signIn()).status).toBe(303);
  });

  it('may be away: the page says so, nobody is refused for it, and links go on', async () => {
    await known();
    const by = browser();
    const back = await wayBack(by);
    provider.isAway = true;
    expect(await by.get(back)).toMatchObject({ status: 503 });
    at.clock.advance(11 * 60_000);
    const away = await browser().get('/admin/sign-in/oidc');
    expect(away).toMatchObject({ status: 503, text: expect.stringContaining('use a one-time link') as string });
    expect(events).toEqual([]);
    expect((await browser().get(await at.signInLink())).status).toBe(200);
    provider.isAway = false;
    at.clock.advance(5_000);
    expect((await signIn()).status).toBe(303);
  });

  it.each([
    ['another issuer', { issuer: 'https://evil.example' }],
    ['no endpoints', { authorization_endpoint: undefined, token_endpoint: undefined }],
  ])('is not gone to when its metadata have %s', async (_what, metadata) => {
    provider.metadata = metadata;
    expect((await browser().get('/admin/sign-in/oidc')).status).toBe(503);
  });

  it('is asked by one address for so many failed sign-ins alone', async () => {
    provider.person = { sub: randomUUID(), email: 'nobody@publisher.example', email_verified: true };
    const before = provider.exchanged;
    const statuses: number[] = [];
    do statuses.push((await signIn()).status);
    while (statuses.at(-1) === 403 && statuses.length < 100);
    expect(statuses.at(-1)).toBe(429);
    expect(provider.exchanged - before).toBeLessThanOrEqual(30);
    expect(events.at(-1)).toEqual(['console.oidc_refused', 'too many failed sign-ins']);
  });
});
