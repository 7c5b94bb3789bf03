import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { beginSignIn } from '../../../src/admin/pending-sign-in.ts';
import { endPortalSessionsOf, portalSessions } from '../../../src/admin/portal-session.ts';
import { portalRouter } from '../../../src/admin/portal/portal-router.tsx';
import { authenticator } from '../../../src/directory/api-key/authenticator.ts';
import { apiKeys } from '../../../src/directory/api-key/api-key.ts';
import { membershipId, memberships } from '../../../src/directory/membership/membership.ts';
import { userIdOf } from '../../../src/directory/oauth/access-token.ts';
import { PORTAL_CLIENT_ID } from '../../../src/directory/oauth/account-sign-in.ts';
import type { AccountSignIn } from '../../../src/directory/oauth/account-sign-in.ts';
import { createOidcClient } from '../../../src/directory/oauth/oidc-client.ts';
import { outsideSignIn } from '../../../src/directory/oauth/outside-sign-in.ts';
import { organizations } from '../../../src/directory/organization/organization.ts';
import type { OAuthContext } from '../../../src/oauth/context.ts';
import { createGrantDesk } from '../../../src/oauth/grant/grant-desk.ts';
import { grants } from '../../../src/oauth/grant/grant.ts';
import { developmentIdentityProvider, developmentSubject } from '../../../src/oauth/identity-provider.ts';
import { tokenKeySet } from '../../../src/oauth/keys/token-key-set.ts';
import { portalClient } from '../../../src/oauth/portal/portal-client.ts';
import { portalSignIn } from '../../../src/oauth/portal/portal-sign-in.ts';
import { oauthRouter } from '../../../src/oauth/router.ts';
import { toTimestamp } from '../../../src/platform/clock.ts';
import { hashToken } from '../../../src/platform/crypto/one-time-token.ts';
import { sealer } from '../../../src/platform/crypto/sealer.ts';
import type { OrganizationId } from '../../../src/platform/organization-id.ts';
import { createOutbound } from '../../../src/platform/outbound/outbound-client.ts';
import { protocolNames } from '../../../src/platform/protocol-name.ts';
import { silent } from '../../directory/support/installation.ts';
import { allowInBrowser, openBrowser } from '../../oauth/support/browser.ts';
import type { Browser, Page, Person } from '../../oauth/support/browser.ts';
import { startRegistry } from '../../registry/support/registry.ts';
import type { Registry } from '../../registry/support/registry.ts';
import { openBudgets } from '../../support/open-budgets.ts';
import { describeOnStores } from '../../support/stores.ts';
import { CLIENT, openIdentityProvider } from '../support/identity-provider.ts';
import type { IdentityProvider } from '../support/identity-provider.ts';

const SECRET = 'a secret of this test that is long enough';
const person = (): Person => ({ email: `${randomUUID()}@acme.example`, password: 'correct horse battery' });

describeOnStores("[O1.portal] a person signs in to the buyers' portal on %s", (kind) => {
  let at: Registry;
  const closing: (() => Promise<unknown>)[] = [];
  /** Who has an account, as long as they are here. */
  const people: Person[] = [];
  /** With accounts of this agent, of an issuer elsewhere, and with none. */
  let [own, outside, without] = ['', '', ''];
  let provider: IdentityProvider;

  beforeAll(async () => {
    at = await startRegistry(kind);
    const { budgets, close } = openBudgets({ clock: at.clock });
    provider = await openIdentityProvider(at.clock);
    const outbound = createOutbound({ allowLoopback: true, trustsUrls: true });
    closing.push(
      close,
      () => provider.close(),
      () => outbound.close(),
    );
    const keys = at.store.collection(apiKeys);
    const common = { ...at, log: silent, budgets, sealer: sealer(SECRET) };
    const serve = async (make: (baseUrl: string, app: express.Express) => AccountSignIn | undefined) => {
      const server = await listening();
      closing.push(() => closed(server));
      const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const app = express();
      app.set('trust proxy', true);
      const accounts = make(baseUrl, app);
      const portal = { ...common, authenticator: authenticator({ ...at, keys, log: silent }), accounts };
      app.use('/portal', portalRouter({ ...portal, baseUrl: () => baseUrl }));
      server.on('request', app as RequestListener);
      return baseUrl;
    };
    own = await serve((baseUrl, app) => {
      const context: OAuthContext = {
        ...{ ...common, baseUrl, names: protocolNames(), secret: SECRET },
        clients: [{ client_id: 'other', client_name: 'Other', redirect_uris: ['http://127.0.0.1/done'] }],
        ownClients: [portalClient(baseUrl)],
        identityProvider: {
          signIn: (email, password) => known().signIn(email, password),
          find: (subject) => known().find(subject),
        },
        isRegistrationOpen: false,
      };
      app.use(oauthRouter(context, tokenKeySet(context)));
      return portalSignIn(context);
    });
    outside = await serve(() =>
      outsideSignIn(createOidcClient({ issuer: provider.issuer, ...CLIENT, outbound, clock: at.clock, log: silent })),
    );
    without = await serve(() => undefined);
  });
  afterAll(async () => {
    for (const close of closing.reverse()) await close();
    await at.close();
  });
  const known = () => developmentIdentityProvider(people) ?? expect.unreachable();

  /** Somebody with an account, and an organization of theirs. */
  async function owner() {
    const who = person();
    people.push(who);
    const user_id = userIdOf(own, developmentSubject(who.email));
    return { who, user_id, ...(await at.organization({ name: `House ${randomUUID()}`, owner_id: user_id })) };
  }
  const begin = async (browser: Browser, baseUrl = own) => {
    const { status, location } = await browser.open(`${baseUrl}/portal/sign-in/account`);
    expect(status).toBe(303);
    return location ?? expect.unreachable();
  };
  async function signedIn(who: Person) {
    const browser = openBrowser();
    const back = await allowInBrowser(await begin(browser), who, { browser });
    const page = await browser.open(back.href);
    return { browser, back, page };
  }
  const home = (browser: Browser, baseUrl = own) => browser.open(`${baseUrl}/portal`);
  const sessionOf = (browser: Browser) =>
    at.store.collection(portalSessions).get(hashToken(browser.cookies.get('portal_session') ?? ''));
  async function post(browser: Browser, path: string, { url, html }: Page, fields: object = {}): Promise<number> {
    const hidden = html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]+)"/g);
    const form = Object.fromEntries([...hidden].map(([, name = '', value = '']) => [name, value]));
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const { status } = await fetch(new URL(path, url), {
      ...{ method: 'POST', redirect: 'manual', body: new URLSearchParams({ ...form, ...fields }) },
      headers: { cookie, 'sec-fetch-site': 'same-origin' },
    });
    return status;
  }

  it('with the account that they allow applications with, for the organization that they choose, and out again', async () => {
    const { who, organization_id, name, user_id } = await owner();
    const other = await at.organization({ name: `Other ${randomUUID()}`, owner_id: user_id });
    const browser = openBrowser();
    expect((await browser.open(`${own}/portal/sign-in`)).html).toContain('href="/portal/sign-in/account"');
    const asked = await begin(browser);
    expect(Object.fromEntries(asked.searchParams)).toMatchObject({
      ...{ client_id: PORTAL_CLIENT_ID, resource: `${own}/portal`, scope: 'webhooks:read webhooks:write' },
      ...{ code_challenge_method: 'S256', redirect_uri: `${own}/portal/signed-in` },
    });
    const back = await allowInBrowser(asked, who, { browser, choice: { organization_id: other.organization_id } });
    const opened = await browser.open(back.href);
    // Nothing of the code stays in the browser's history.
    expect([opened.status, opened.location?.href]).toEqual([303, `${own}/portal`]);
    const page = await home(browser);
    expect(page.status).toBe(200);
    expect(page.html).toContain(other.name);
    expect(page.html).not.toContain(name);
    expect(page.html).not.toContain('Another organization');
    expect(await sessionOf(browser)).toMatchObject({ organization_id: other.organization_id, user_id });
    expect(organization_id).not.toBe(other.organization_id);

    const grant_id = (await sessionOf(browser))?.grant_id ?? '';
    const rows = at.store.collection(grants);
    expect(await rows.get(grant_id)).toMatchObject({ refresh_number: 0, refresh_expires_at: null, revoked_at: null });
    expect(await post(browser, '/portal/sign-out', await browser.open(`${own}/portal/sign-out`))).toBe(303);
    expect((await home(browser)).status).toBe(401);
    expect(await rows.get(grant_id)).toMatchObject({ revoked_because: 'revoked_by_client' });
  });

  it('once, in the browser that began it, in ten minutes, and by nothing that was made up', async () => {
    const { who } = await owner();
    const { browser, back } = await signedIn(who);
    // A form sent twice comes back twice.
    expect((await browser.open(back.href)).location?.href).toBe(`${own}/portal`);
    expect((await openBrowser().open(back.href)).status).toBe(400);

    const another = openBrowser();
    const elsewhere = await allowInBrowser(await begin(another), who, { browser: another });
    expect((await openBrowser().open(elsewhere.href)).status).toBe(400);
    const changed = (name: string, value: string) => {
      const url = new URL(elsewhere);
      url.searchParams.set(name, value);
      return url.href;
    };
    expect((await another.open(changed('state', 'short'))).status).toBe(400);
    const refused = await another.open(changed('iss', 'https://evil.example'));
    expect([refused.status, refused.html.includes('cannot be trusted')]).toEqual([403, true]);
    expect((await another.open(elsewhere.href)).status).toBe(400);
    expect((await home(another)).status).toBe(401);

    const late = openBrowser();
    const url = await allowInBrowser(await begin(late), who, { browser: late });
    at.clock.advance(600_000);
    expect((await late.open(url.href)).status).toBe(400);
  });

  it('not where they do not allow it, and for no organization of another', async () => {
    const [{ who }, stranger] = [await owner(), await owner()];
    for (const choice of [{ decision: 'deny' }, { organization_id: stranger.organization_id }]) {
      const browser = openBrowser();
      const back = await allowInBrowser(await begin(browser), who, { browser, choice });
      expect(back.searchParams.get('error')).toBe('access_denied');
      const page = await browser.open(back.href);
      expect([page.status, page.html.includes('Nobody was signed in')]).toEqual([403, true]);
    }
  });

  const ENDS: Record<string, (of: Awaited<ReturnType<typeof owner>>, grant_id: string) => Promise<unknown>> = {
    'an operator ends what they allowed': (_of, grant_id) => createGrantDesk(at).end(grant_id),
    'an operator ends all sessions of their organization': async ({ organization_id }, grant_id) => {
      const ended: string[] = [];
      const endGrant = (id: string) => Promise.resolve(ended.push(id));
      expect(await endPortalSessionsOf(at, organization_id, endGrant)).toBe(1);
      expect(ended).toEqual([grant_id]);
    },
    'they belong to it no more': ({ organization_id }) =>
      at.store.collection(organizations).update(organization_id, (row) => ({ ...row, owner_id: 'user_other' })),
    'their account is gone': ({ who }) => Promise.resolve(people.splice(people.indexOf(who), 1)),
    'it is suspended': ({ organization_id }) =>
      at.store
        .collection(organizations)
        .update(organization_id, (row) => ({ ...row, suspended_at: toTimestamp(at.clock.now()) })),
  };
  it.each(Object.keys(ENDS))('and is out at once when %s', async (title) => {
    const of = await owner();
    const { browser } = await signedIn(of.who);
    expect((await home(browser)).status).toBe(200);
    await ENDS[title]?.(of, (await sessionOf(browser))?.grant_id ?? '');
    expect((await home(browser)).status).toBe(401);
  });

  it('as which it is given no tokens, and asks for nothing else; nor does anybody else ask for the portal', async () => {
    const { who } = await owner();
    const browser = openBrowser();
    const asked = await begin(browser);
    const code = (await allowInBrowser(asked, who, { browser })).searchParams.get('code') ?? '';
    const form = { grant_type: 'authorization_code', client_id: PORTAL_CLIENT_ID, code };
    const answer = await fetch(`${own}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        ...form,
        redirect_uri: `${own}/portal/signed-in`,
        code_verifier: 'v'.repeat(43),
      }),
    });
    expect([answer.status, await answer.json()]).toMatchObject([401, { error: 'invalid_client' }]);
    const errorFor = async (changes: Record<string, string>) => {
      const url = new URL(asked);
      for (const [name, value] of Object.entries(changes)) url.searchParams.set(name, value);
      return (await openBrowser().open(url.href)).location?.searchParams.get('error');
    };
    expect(await errorFor({ resource: `${own}/api` })).toBe('invalid_target');
    expect(await errorFor({ scope: 'tasks:write' })).toBe('invalid_scope');
    const other = { client_id: 'other', redirect_uri: 'http://127.0.0.1/done' };
    expect(await errorFor(other)).toBe('invalid_target');
  });

  it('to do what they allow, and no more', async () => {
    const { who } = await owner();
    const browser = openBrowser();
    const asked = await begin(browser);
    asked.searchParams.set('scope', 'webhooks:read');
    await browser.open((await allowInBrowser(asked, who, { browser })).href);
    const page = await browser.open(`${own}/portal/ranges`);
    expect([page.status, page.html.includes('lacks the scope webhooks:write')]).toEqual([200, true]);
  });

  it('however many sign-ins they have begun and left', async () => {
    const { who } = await owner();
    const browser = openBrowser();
    for (let n = 0; n < 60; n++) await begin(browser);
    expect([...browser.cookies.keys()].filter((name) => name.includes('oidc')).length).toBeLessThanOrEqual(8);
    expect((await browser.open((await allowInBrowser(await begin(browser), who, { browser })).href)).status).toBe(303);
    // Over TLS no other host can have planted it.
    const secure = { clock: at.clock, sealer: sealer(SECRET), isSecure: true };
    const { cookie } = beginSignIn('portal', secure, { redirect_uri: 'https://sales.example/portal/signed-in' });
    expect(cookie).toMatch(/^__Host-portal_oidc_[0-7]=[^;]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/);
  });

  it('nowhere that nobody has an account', async () => {
    const page = await openBrowser().open(`${without}/portal/sign-in`);
    expect(page.html).not.toContain('account');
    expect((await openBrowser().open(`${without}/portal/sign-in/account`)).status).toBe(401);
  });

  describe('at an issuer elsewhere', () => {
    async function member(names: readonly string[]) {
      const sub = randomUUID();
      const user_id = userIdOf(provider.issuer, sub);
      const ids: OrganizationId[] = [];
      for (const name of names) {
        const { organization_id } = await at.organization({ name });
        await at.store.collection(memberships).insert({
          ...{ membership_id: membershipId(organization_id, user_id), organization_id, user_id, role: 'member' },
          ...{ created_at: toTimestamp(at.clock.now()), revision: 1 },
        });
        ids.push(organization_id);
      }
      Object.assign(provider, { person: { sub } });
      const browser = openBrowser();
      const back = (await browser.open((await begin(browser, outside)).href)).location ?? expect.unreachable();
      return { user_id, ids, browser, page: await browser.open(back.href) };
    }

    it('by who they are there and what they belong to here, with the leave of nobody else', async () => {
      const { browser, page, ids, user_id } = await member([`Only ${randomUUID()}`]);
      expect([page.status, page.location?.pathname]).toEqual([303, '/portal']);
      expect((await home(browser, outside)).status).toBe(200);
      // Another process of this agent, which signs people in itself, knows of no such session.
      expect((await browser.open(`${own}/portal`)).status).toBe(401);
      await at.store.collection(memberships).delete(membershipId(ids[0] ?? expect.unreachable(), user_id));
      expect((await home(browser, outside)).status).toBe(401);
    });

    it('for each of their organizations in turn, where no form of one is taken for another', async () => {
      const [first, second] = [`First ${randomUUID()}`, `Second ${randomUUID()}`];
      const { browser, page, ids } = await member([first, second]);
      expect(page.location?.pathname).toBe('/portal/organization');
      const choice = await browser.open(`${outside}/portal/organization`);
      expect(choice.html).toContain(second);
      const before = (await sessionOf(browser))?.organization_id;
      const next = ids.find((id) => id !== before) ?? expect.unreachable();
      const former = await browser.open(`${outside}/portal/sign-out`);
      const stranger = await at.organization({});
      expect(await post(browser, '/portal/organization', choice, { organization_id: stranger.organization_id })).toBe(
        404,
      );
      expect(await post(browser, '/portal/organization', choice, { organization_id: next })).toBe(303);
      const shown = await home(browser, outside);
      expect(shown.html).toContain(next === ids[0] ? first : second);
      expect(shown.html).toContain('Another organization');
      expect(await post(browser, '/portal/sign-out', former)).toBe(403);
      expect((await home(browser, outside)).status).toBe(200);
    });

    it('not without an organization, and not while the issuer is away or says no', async () => {
      const { page, browser } = await member([]);
      expect([page.status, page.html.includes('belongs to no organization')]).toEqual([403, true]);
      expect((await home(browser, outside)).status).toBe(401);
      provider.error = 'access_denied';
      expect((await member([`No ${randomUUID()}`])).page.status).toBe(403);
      provider.error = undefined;
      at.clock.advance(11 * 60_000);
      provider.isAway = true;
      expect((await openBrowser().open(`${outside}/portal/sign-in/account`)).status).toBe(503);
      provider.isAway = false;
    });
  });
});

async function listening(): Promise<Server> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

async function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
