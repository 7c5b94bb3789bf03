import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { formToken } from '../../../src/admin/console/form-token.ts';
import { filledIn } from '../../../src/admin/operator/filled-in.ts';
import { operations } from '../../../src/admin/operator/operations.ts';
import { portalRouter } from '../../../src/admin/portal/portal-router.tsx';
import { adminRouter } from '../../../src/admin/router.ts';
import { mayAct, OPERATOR_ROLES } from '../../../src/directory/operator/operator.ts';
import type { OperatorRole } from '../../../src/directory/operator/operator.ts';
import { createPortalLink } from '../../../src/directory/portal-link/portal-link.ts';
import { StatSpans } from '../../../src/platform/stats/stat-span.ts';
import { startTestAgent } from '../../journeys/support/test-agent.ts';
import type { TestAgent } from '../../journeys/support/test-agent.ts';
import { routesOf } from '../../main/support/routes-of.ts';
import { organizationId } from '../../support/ids.ts';
import { withStoreHooks } from '../../support/store-hooks.ts';
import { describeOnStores } from '../../support/stores.ts';
import { visitorOf } from './support/visitor.ts';

/** A form: where it goes, and what its token is made of. */
interface Form {
  path: string;
  made: string;
  /** Who may send it; a form without one is anybody's who is signed in. */
  role?: OperatorRole;
}

const valueOf = (cookie: string) => cookie.slice(cookie.indexOf('=') + 1);
const NONE = { get: (_of: object, name: string | symbol) => (typeof name === 'string' ? 'none' : undefined) };

/** The forms of the console: of each action there is, and the one that signs out. */
const CONSOLE: readonly Form[] = [
  ...operations.flatMap(({ action, path, role }) => {
    const made = filledIn(path, new Proxy({}, NONE));
    return action === undefined ? [] : [{ path: `/admin/do${made}`, made, role }];
  }),
  { path: '/admin/sign-out', made: '/sign-out' },
];

describeOnStores('[O1.forms] every form of console and portal on %s', (store) => {
  let agent: TestAgent;
  let portal: readonly Form[];
  /** What was written since this was emptied, but for what a server counts by the minute. */
  const written: string[] = [];
  beforeAll(async () => {
    agent = await startTestAgent(store, {
      working: false,
      wrapStore: (plain) =>
        withStoreHooks(plain, {
          after({ collection, kind }, hasWritten) {
            if (hasWritten && collection !== StatSpans.name) written.push(`${kind} ${collection}`);
          },
        }),
    });
    const { core } = agent;
    portal = routesOf({ router: portalRouter({ ...core, baseUrl: () => core.baseUrl, accounts: undefined }) }).flatMap(
      (route) => {
        const [method, path = ''] = route.split(' ');
        const made = path.replaceAll(/:\w+/g, 'none');
        return method === 'POST' && path !== '/sign-in' ? [{ path: `/portal${made}`, made: `portal${made}` }] : [];
      },
    );
  });
  afterAll(() => agent.stop());

  const OWN = { 'sec-fetch-site': 'same-origin' };
  async function send(path: string, cookie: string, headers: Record<string, string>, fields: Record<string, string>) {
    const answer = await fetch(`${agent.baseUrl}${path}`, {
      ...{ method: 'POST', redirect: 'manual', headers: { cookie, ...headers } },
      body: new URLSearchParams({ _click: randomUUID(), _back: '/admin', ...fields }),
    });
    await answer.body?.cancel();
    return answer.status;
  }

  async function portalCookie(): Promise<string> {
    const asked = { organization_id: organizationId('org_demo_buyer'), api_key_id: null, click: randomUUID() };
    const { searchParams } = new URL((await createPortalLink(agent.core, asked, agent.baseUrl)).portal_url);
    const answer = await fetch(`${agent.baseUrl}/portal/sign-in`, {
      ...{ method: 'POST', redirect: 'manual', headers: OWN },
      body: new URLSearchParams({ link: searchParams.get('link') ?? '' }),
    });
    return (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  }

  /** What is answered to each form of these where it is not of this session, and what was written then. */
  async function refusals(forms: readonly Form[], cookie: string, others: string): Promise<unknown[]> {
    const wrong: unknown[] = [];
    for (const { path, made } of forms) {
      const good = { _token: formToken(valueOf(cookie), made) };
      written.splice(0);
      const statuses = [
        await send(path, cookie, { 'sec-fetch-site': 'cross-site' }, good),
        await send(path, cookie, { 'sec-fetch-site': 'same-site' }, good),
        await send(path, cookie, { origin: 'https://evil.example' }, good),
        await send(path, cookie, {}, good),
        await send(path, cookie, OWN, {}),
        await send(path, cookie, OWN, { _token: formToken(valueOf(others), made) }),
        await send(path, cookie, OWN, { _token: formToken(valueOf(cookie), `${made}/other`) }),
        await send(path, others, OWN, good),
      ];
      if (statuses.some((status) => status !== 403) || written.length > 0) wrong.push([path, statuses, [...written]]);
    }
    return wrong;
  }

  it('of each action and of the sign-out is 403 from elsewhere, without its token and with another’s, and nothing is written', async () => {
    const [one, other] = [await visitorOf(agent, 'admin'), await visitorOf(agent, 'admin')];
    expect(await refusals(CONSOLE, one.cookie, other.cookie)).toEqual([]);
    // As it was made it is taken, and refused for what it says.
    const ways = await Promise.all(
      CONSOLE.slice(0, -1).map(({ path, made }) =>
        send(path, one.cookie, OWN, { _token: formToken(valueOf(one.cookie), made), _needs: 'nothing' }),
      ),
    );
    expect(new Set(ways)).toEqual(new Set([422]));
  });

  it('[S5.roles] of each action is for the role of its operation, however it is come by, and for no session of the portal', async () => {
    const wrong: unknown[] = [];
    const forms = CONSOLE.slice(0, -1);
    for (const as of OPERATOR_ROLES) {
      const { cookie } = await visitorOf(agent, as);
      written.splice(0);
      const sent = forms.map(async ({ path, made, role = 'viewer' }) => {
        const token = { _token: formToken(valueOf(cookie), made) };
        // What they may, they may: it lacks a tick, or it would be done.
        const [fields, wanted] = mayAct(as, role) ? [{ ...token, _needs: 'nothing' }, 422] : [token, 403];
        const status = await send(path, cookie, OWN, fields);
        if (status !== wanted) wrong.push([as, path, status]);
      });
      await Promise.all(sent);
      wrong.push(...written);
    }
    const guest = await portalCookie();
    const strange = forms.map(async ({ path, made }, i) => {
      const cookie = i % 2 === 0 ? guest : `console_session=${valueOf(guest)}`;
      const status = await send(path, cookie, OWN, { _token: formToken(valueOf(guest), made) });
      if (status !== 401) wrong.push(['the portal', path, status]);
    });
    await Promise.all(strange);
    expect(wrong).toEqual([]);
  });

  it('of the portal is so, too', async () => {
    const [one, other] = [await portalCookie(), await portalCookie()];
    expect(portal.length).toBeGreaterThan(4);
    expect(await refusals(portal, one, other)).toEqual([]);
    const [{ path, made } = { path: '', made: '' }] = portal;
    const token = formToken(valueOf(one), made);
    expect(await send(path, one, OWN, { _token: token })).not.toBe(403);
  });

  it('is one of these, and those that sign in, which are redeemed by what stands in them', () => {
    const { core } = agent;
    const routes = routesOf({
      router: adminRouter({ ...core, baseUrl: () => core.baseUrl, bullQueues: () => [] }),
    });
    expect(routes.filter((route) => route.startsWith('POST'))).toEqual(['POST /sign-in', 'POST /sign-out']);
  });
});
