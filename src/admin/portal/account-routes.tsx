import { Router } from 'express';
import type { Request, Response } from 'express';
import { organizationsOfUser } from '../../directory/membership/organizations-of-user.ts';
import type { AccountSignedIn, AccountSignIn } from '../../directory/oauth/account-sign-in.ts';
import { isSuspended } from '../../directory/organization/suspension.ts';
import { beginSignIn } from '../pending-sign-in.ts';
import { callerOfPortal, endPortalSession, portalCookie, startPortalSession } from '../portal-session.ts';
import { SESSION_LIFE_MS } from '../session-life.ts';
import { cameBack, errorOfProvider, unavailable } from '../sign-in-answer.ts';
import type { PortalDeps, PortalDesk } from './portal-desk.tsx';
import { sendPortalPage } from './portal-desk.tsx';
import { ORGANIZATION, PORTAL } from './portal-shell.tsx';
import { BY_ACCOUNT, portalSignInPage } from './portal-sign-in-pages.tsx';

const AWAY = 'The sign-in with accounts cannot be reached now. Try again, or use an API key.';
const NOT_ALLOWED =
  'Nobody was signed in: it was not allowed, or your account belongs to no organization here yet. Join one first, or use an API key.';
const ELSEWHERE =
  'The sign-in let nobody in. Begin again; if it stays so, use an API key, or ask whoever runs this agent.';
const NOT_GOOD =
  'What the sign-in said of you cannot be trusted. Begin again; if it stays so, tell whoever runs this agent.';
const NO_ORGANIZATION =
  'Your account belongs to no organization here. Ask a member of yours to let you join it, or use an API key.';
const SUSPENDED = 'Your organization is suspended here. Ask whoever runs this agent.';

interface AccountDeps extends PortalDeps {
  accounts: AccountSignIn;
}

/** Leaving to sign in with one's own account, and coming back. Mount it before a session is asked for. */
export function accountRoutes(deps: AccountDeps, desk: PortalDesk): Router {
  const { accounts, budgets, clock, sealer, security, store } = deps;
  const redirectUri = () => new URL(`${PORTAL}/signed-in`, deps.baseUrl()).href;
  const pending = () => ({ clock, sealer, isSecure: desk.isSecure() });

  const refuse = (response: Response, status: number, problem: string, reason?: string) => {
    if (reason !== undefined) security.record('credential.refused', { target: 'portal account', reason });
    response.status(status);
    sendPortalPage(response, portalSignInPage({ problem, hasAccounts: true }));
  };

  const router = Router();
  router.get(BY_ACCOUNT, async (_request, response) => {
    const { asked, cookie } = beginSignIn('portal', pending(), { redirect_uri: redirectUri() });
    const url = await accounts.authorizationUrl(asked).catch(unavailable);
    if (url === undefined) {
      refuse(response, 503, AWAY);
      return;
    }
    response.append('Set-Cookie', cookie);
    response.redirect(303, url);
  });

  router.get('/signed-in', async (request, response) => {
    const came = await cameBack('portal', { store, budgets, ...pending() }, request);
    if ('refused' in came) {
      const { status, reason, words, headers, attempt } = came.refused;
      // A form sent twice comes back twice: by then the first has opened a session.
      if (attempt !== undefined && (await isSignedIn(request))) {
        await attempt.giveBack();
        response.redirect(303, PORTAL);
        return;
      }
      response.set(headers);
      refuse(response, status, words, reason);
      return;
    }
    const { asked, attempt, answer } = came;
    response.append('Set-Cookie', came.cookie);
    const { code, iss, error } = answer;
    if (code === undefined) {
      refuse(response, 403, error === 'access_denied' ? NOT_ALLOWED : ELSEWHERE, errorOfProvider(error));
      return;
    }
    const signedIn = await accounts.take({ code, iss }, asked, SESSION_LIFE_MS).catch(unavailable);
    if (signedIn === undefined) {
      await attempt.giveBack();
      refuse(response, 503, AWAY);
      return;
    }
    if ('refused' in signedIn) {
      refuse(response, 403, NOT_GOOD, signedIn.refused);
      return;
    }
    await attempt.giveBack();
    await open(request, response, signedIn);
  });

  async function isSignedIn(request: Request): Promise<boolean> {
    const cookie = desk.cookieOf(request);
    return cookie !== undefined && (await callerOfPortal(deps, cookie)) !== undefined;
  }

  async function open(request: Request, response: Response, { user_id, organization_id, grant_id }: AccountSignedIn) {
    const all = await organizationsOfUser(store, user_id);
    const theirs = all.filter((one) => organization_id === undefined || one.organization_id === organization_id);
    const acting = theirs.filter((one) => !isSuspended(one));
    const [first] = acting;
    if (first === undefined) {
      if (grant_id !== undefined) await accounts.end(grant_id);
      const isAny = theirs.length > 0;
      refuse(response, 403, isAny ? SUSPENDED : NO_ORGANIZATION, isAny ? 'suspended' : 'no organization');
      return;
    }
    // What was signed in with this browser before is over.
    await endPortalSession(deps, desk.cookieOf(request));
    const session = await startPortalSession(deps, { organization_id: first.organization_id, user_id, grant_id });
    security.record('portal.account_signed_in', { subject: user_id, organization_id: first.organization_id });
    response.append('Set-Cookie', portalCookie(session, desk.isSecure()));
    response.redirect(303, acting.length > 1 ? `${PORTAL}${ORGANIZATION}` : PORTAL);
  }
  return router;
}
