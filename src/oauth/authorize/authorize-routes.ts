import { Router } from 'express';
import type { Request, RequestHandler, Response } from 'express';
import { organizationsOfUser } from '../../directory/membership/organizations-of-user.ts';
import type { Organization } from '../../directory/organization/organization.ts';
import { userIdOf } from '../../directory/oauth/access-token.ts';
import { toTimestamp } from '../../platform/clock.ts';
import { INPUT_LIMITS } from '../../platform/intake/input-limits.ts';
import { OrganizationId } from '../../platform/organization-id.ts';
import { keepClient } from '../client/find-client.ts';
import type { OAuthContext } from '../context.ts';
import { grants } from '../grant/grant.ts';
import { tokenForm } from '../grant/token-form.ts';
import type { Account } from '../identity-provider.ts';
import { PATHS } from '../metadata.ts';
import { resourceId } from '../resources.ts';
import { readForm } from '../read-input.ts';
import { accountNames } from './account-names.ts';
import { answerClient, sendPage } from './answer.ts';
import { readAuthorizationRequest } from './authorization-request.ts';
import type { AuthorizationRequest } from './authorization-request.ts';
import {
  cookieFrom,
  endBrowserSession,
  newCookie,
  setCookie,
  signedIn,
  startBrowserSession,
} from './browser-session.ts';
import type { SignedIn } from './browser-session.ts';
import { formTickets } from './form-ticket.ts';
import { accountSignedOutPage, accountSignOutPage, consentPage, loginPage, problemPage } from './pages.ts';
import { beginAttempt } from './sign-in-attempt.ts';

/** A code waits for its application this long. */
const CODE_LIFE_MS = 60_000;
const STALE = 'This form is too old, or was opened in another browser. Go back to the application and begin again.';

/** What a person meets on the way to a code: sign in, allow, go back. */
export function authorizeRoutes(context: OAuthContext): Router {
  const { baseUrl, identityProvider, budgets, clock, store, security } = context;
  const tickets = formTickets(context);
  const form = tokenForm(context.secret, context.formerSecrets);
  const nameOf = accountNames(context.secret);

  /** Shows the next step of a request: who are you, or do you allow it. */
  async function proceed(req: Request, res: Response, query: URLSearchParams): Promise<void> {
    const request = await requestOf(res, query);
    if (request === undefined) return;
    const cookie = cookieFrom(req.get('cookie'));
    const session = await signedIn(context, cookie);
    if (cookie !== undefined && session !== undefined) await askConsent(res, query, request, session, cookie);
    else askSignIn(res, query, request, 200, cookie);
  }

  /** The request, or undefined after it has been refused. */
  async function requestOf(res: Response, query: URLSearchParams): Promise<AuthorizationRequest | undefined> {
    const read = await readAuthorizationRequest(context, query);
    if (read.kind === 'page') sendPage(res, 400, problemPage(read.problem));
    else if (read.kind === 'redirect')
      answerClient(res, baseUrl, read, { error: read.error.code, error_description: read.error.message });
    else if (identityProvider === undefined)
      answerClient(res, baseUrl, read.request, {
        error: 'temporarily_unavailable',
        error_description: 'nobody can sign in here: no accounts and no other issuer are configured',
      });
    else return read.request;
    return undefined;
  }

  function askSignIn(
    res: Response,
    query: URLSearchParams,
    request: AuthorizationRequest,
    status: number,
    cookie = newCookie(),
    again: { email?: string; problem?: string } = {},
  ): void {
    res.append('Set-Cookie', setCookie(cookie, baseUrl));
    const ticket = tickets.issue('login', cookie, query.toString());
    sendPage(res, status, loginPage({ baseUrl, ticket, request, ...again }), request.redirect_uri);
  }

  async function askConsent(
    res: Response,
    query: URLSearchParams,
    request: AuthorizationRequest,
    { account }: SignedIn,
    cookie: string,
  ): Promise<void> {
    const ticket = tickets.issue('consent', cookie, query.toString());
    const organizations = await choices(request, account);
    const html = consentPage({ baseUrl, ticket, request, email: account.email, organizations });
    sendPage(res, 200, html, request.redirect_uri);
  }

  /** The organizations the person may speak for; undefined where none acts. */
  function choices(request: AuthorizationRequest, account: Account): Promise<Organization[]> | undefined {
    if (!request.resource.isForOrganization) return undefined;
    return organizationsOfUser(store, userIdOf(baseUrl, account.subject));
  }

  const signIn: RequestHandler = async (req, res) => {
    const { ticket, email, password } = fieldsOf(req);
    const cookie = cookieFrom(req.get('cookie'));
    const query = tickets.redeem('login', cookie, ticket)?.query;
    if (query === undefined) {
      sendPage(res, 400, problemPage(STALE));
      return;
    }
    const request = await requestOf(res, query);
    if (request === undefined) return;
    const name = nameOf(email);
    const attempt = await beginAttempt(budgets, { account: name, address: req.ip ?? '' });
    const tried = { subject: `email_${name}` };
    if (attempt.waitSeconds !== undefined) {
      security.record('account.locked', tried);
      res.set('Retry-After', String(attempt.waitSeconds));
      const problem = `Too many failed attempts. Try again in ${Math.ceil(attempt.waitSeconds / 60)} minutes.`;
      askSignIn(res, query, request, 429, cookie, { email, problem });
      return;
    }
    const account = await identityProvider?.signIn(email, password);
    if (account === undefined) {
      security.record('account.refused', tried);
      askSignIn(res, query, request, 401, cookie, { email, problem: 'The address or the password is wrong.' });
      return;
    }
    security.record('account.signed_in', { subject: account.subject });
    await attempt.succeeded();
    await endBrowserSession(context, cookie);
    res.append('Set-Cookie', setCookie(await startBrowserSession(context, account), baseUrl));
    res.redirect(303, `${baseUrl}${PATHS.authorize}?${query.toString()}`);
  };

  const decide: RequestHandler = async (req, res) => {
    const { ticket, decision, organization_id } = fieldsOf(req);
    const cookie = cookieFrom(req.get('cookie'));
    const redeemed = tickets.redeem('consent', cookie, ticket);
    const session = await signedIn(context, cookie);
    if (redeemed === undefined || session === undefined) {
      sendPage(res, 400, problemPage(STALE));
      return;
    }
    const { query, decision_id } = redeemed;
    const request = await requestOf(res, query);
    if (request === undefined) return;
    if (decision === 'switch') {
      await endBrowserSession(context, cookie);
      security.record('account.signed_out', { subject: session.account.subject });
      askSignIn(res, query, request, 200);
      return;
    }
    const organizations = await choices(request, session.account);
    const isChosen = organizations?.some((row) => row.organization_id === organization_id) ?? true;
    const facts = { subject: session.account.subject, target: request.client.client_id };
    if (decision !== 'allow' || !isChosen) {
      security.record('consent.denied', facts);
      answerClient(res, baseUrl, request, { error: 'access_denied', error_description: 'the person did not allow it' });
      return;
    }
    const organizationId = organizations && OrganizationId.parse(organization_id);
    const isNew = await allow(decision_id, request, session, organizationId);
    if (isNew) {
      const reason = request.scopes.join(' ');
      security.record('consent.given', { ...facts, organization_id: organizationId, reason });
    }
    answerClient(res, baseUrl, request, { code: form.code(decision_id) });
  };

  /** Stores what is allowed, once for a form however often it is sent. */
  async function allow(
    grant_id: string,
    { client, redirect_uri, code_challenge, resource, scopes }: AuthorizationRequest,
    { account, auth_time }: SignedIn,
    organizationId: OrganizationId | undefined,
  ): Promise<boolean> {
    const now = clock.now();
    await keepClient(context, client.client_id);
    const { inserted } = await store.collection(grants).insert({
      grant_id,
      client_id: client.client_id,
      ...{ redirect_uri, code_challenge, scopes, auth_time },
      subject: account.subject,
      email: account.email,
      resource: resourceId(baseUrl, resource.path),
      organization_id: organizationId ?? null,
      created_at: toTimestamp(now),
      code_expires_at: toTimestamp(now + CODE_LIFE_MS),
      exchanged_at: null,
      refresh_number: 0,
      refresh_expires_at: null,
      revoked_at: null,
      revoked_because: null,
      expires_at: toTimestamp(now + 3_600_000),
      revision: 1,
    });
    return inserted;
  }

  const signOut: RequestHandler = async (req, res) => {
    const cookie = cookieFrom(req.get('cookie'));
    const session = await signedIn(context, cookie);
    await endBrowserSession(context, cookie);
    if (session !== undefined) security.record('account.signed_out', { subject: session.account.subject });
    res.append('Set-Cookie', setCookie(newCookie(), baseUrl));
    sendPage(res, 200, accountSignedOutPage());
  };

  const readFields = readForm(INPUT_LIMITS.signInFormBytes);
  const router = Router();
  router.get(PATHS.authorize, (req, res) => proceed(req, res, new URL(req.originalUrl, baseUrl).searchParams));
  router.post(PATHS.login, readFields, signIn);
  router.post(PATHS.consent, readFields, decide);
  router.get(PATHS.signOut, (_req, res) => {
    sendPage(res, 200, accountSignOutPage(baseUrl));
  });
  router.post(PATHS.signOut, signOut);
  return router;
}

type Fields = Record<'ticket' | 'email' | 'password' | 'decision' | 'organization_id', string>;

/** The fields of a form, each as text; what is missing or sent twice is empty. */
function fieldsOf(req: Request): Fields {
  const body = (req.body ?? {}) as Record<string, unknown>;
  const field = (name: keyof Fields) => (typeof body[name] === 'string' ? body[name] : '');
  return {
    ticket: field('ticket'),
    email: field('email'),
    password: field('password'),
    decision: field('decision'),
    organization_id: field('organization_id'),
  };
}
