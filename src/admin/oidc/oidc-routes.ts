import { Router } from 'express';
import type { RequestHandler, Response } from 'express';
import { userIdOf } from '../../directory/oauth/access-token.ts';
import { NOT_OF_LATE } from '../../directory/oauth/id-token.ts';
import type { OidcClient } from '../../directory/oauth/oidc-client.ts';
import { personByClaim } from '../../directory/operator/person-by-claim.ts';
import type { ClaimedChange, SignedInPerson } from '../../directory/operator/person-by-claim.ts';
import type { OperatorPerson } from '../../directory/operator/person.ts';
import type { RolesByClaim } from '../../directory/operator/role-by-claim.ts';
import type { Budgets } from '../../platform/budget/budgets.ts';
import type { Sealer } from '../../platform/crypto/sealer.ts';
import { heldFormOf } from '../again/hold-form.ts';
import { renewSession } from '../again/renew-session.ts';
import { beginSignIn } from '../pending-sign-in.ts';
import { endSessions, sessionCookie, sessionFrom } from '../session.ts';
import { cameBack, errorOfProvider, unavailable } from '../sign-in-answer.ts';
import type { SignInDeps } from '../sign-in-link.ts';
import { oidcProblemPage, signInAgainProblemPage } from './oidc-problem-page.ts';

/** Sign-in by the organization's own identity provider. */
export interface OidcSignIn {
  client: OidcClient;
  /** Where roles come from a claim; default: from invitations alone. */
  rolesByClaim?: RolesByClaim | undefined;
  budgets: Budgets;
  sealer: Sealer;
  /** How old a sign-in may be where one of late is asked for, in milliseconds; 0 and absent: none is asked for. */
  freshSignInMs?: number;
}

export interface OidcRoutesDeps extends SignInDeps {
  oidc: OidcSignIn;
  /** Whether one-time links open the console, too. */
  hasLinks: boolean;
  /** The origin that the console is reached at. */
  baseUrl: () => string;
}

export const OIDC_PATH = '/admin/sign-in/oidc';

const ELSEWHERE = 'The sign-in of your organization did not let you in here. Begin again, or ask whoever runs it.';
const NOT_GOOD =
  'What the sign-in of your organization said of you cannot be trusted. Begin again; if it stays so, tell whoever runs this agent.';
const TOO_OLD =
  'The sign-in of your organization did not ask you anew who you are, or does not say so. Begin again; if it stays so, whoever runs this agent can set FRESH_SIGN_IN_MINUTES=0, and the command line does what the console asks this for.';
const WHY: Record<Extract<SignedInPerson, { refused: unknown }>['refused'], string> = {
  nobody:
    'Nobody has invited you here. Ask an admin of this console to, with the e-mail address that you sign in with.',
  unverified:
    'The sign-in of your organization does not say that your e-mail address is verified. Ask whoever runs it.',
  several: 'Several people have your e-mail address here. Ask an admin of this console to give each their own.',
  another:
    'The person of your e-mail address signs in here by another account. Ask an admin of this console to invite you anew.',
  unclaimed:
    'The sign-in of your organization gives you no role here any more. Ask whoever runs it, or an admin of this console to invite you.',
  removed: 'You were removed here. Ask an admin of this console to invite you anew.',
};

/** Leaving for the provider, and coming back. Mount it at {@link OIDC_PATH}, before a session is asked for (rule S5.oidc). */
export function oidcRoutes(deps: OidcRoutesDeps): Router {
  const { oidc, security, clock, store } = deps;
  const { freshSignInMs = 0 } = oidc;
  const isHttps = () => deps.baseUrl().startsWith('https:');

  const pending = () => ({ clock, sealer: oidc.sealer, isSecure: isHttps() });
  const redirectUri = () => new URL(`${OIDC_PATH}/callback`, deps.baseUrl()).href;

  const start: RequestHandler = async (req, res) => {
    const isAgain = req.query['again'] !== undefined && freshSignInMs > 0;
    const max_age = isAgain ? freshSignInMs / 1000 : undefined;
    const { asked, cookie } = beginSignIn('console', pending(), { redirect_uri: redirectUri(), max_age });
    const url = await oidc.client.authorizationUrl(asked).catch(unavailable);
    if (url === undefined) {
      const instead = deps.hasLinks ? ', or use a one-time link' : '';
      problem(res, 503, `The sign-in of your organization cannot be reached now. Try again${instead}.`);
      return;
    }
    res.append('Set-Cookie', cookie);
    res.redirect(303, url);
  };

  const callback: RequestHandler = async (req, res) => {
    const came = await cameBack('console', { store, budgets: oidc.budgets, ...pending() }, req);
    if ('refused' in came) {
      const { status, reason, words, headers } = came.refused;
      res.set(headers);
      refuse(res, status, reason, words);
      return;
    }
    const { asked, attempt, answer } = came;
    res.append('Set-Cookie', came.cookie);
    const { code } = answer;
    if (code === undefined) {
      refuse(res, 403, `the provider said ${errorOfProvider(answer.error)}`, ELSEWHERE);
      return;
    }
    const verdict = await oidc.client.identityOf({ code, iss: answer.iss }, asked).catch(unavailable);
    if (verdict === undefined) {
      await attempt.giveBack();
      problem(res, 503, 'The sign-in of your organization cannot be reached now. Begin again.');
      return;
    }
    if ('refused' in verdict) {
      if (verdict.refused === NOT_OF_LATE) {
        security.record('console.oidc_refused', { reason: NOT_OF_LATE });
        res
          .status(403)
          .type('html')
          .send(signInAgainProblemPage(TOO_OLD, `${OIDC_PATH}?again`));
      } else refuse(res, 403, verdict.refused, NOT_GOOD);
      return;
    }
    const account = userIdOf(verdict.identity.issuer, verdict.identity.subject);
    const found = await personByClaim(deps, verdict.identity, oidc.rolesByClaim);
    if ('refused' in found) {
      refuse(res, 403, found.refused, WHY[found.refused], account);
      return;
    }
    await attempt.giveBack();
    const { person_id, name, role } = found.person;
    const former = sessionFrom(req.get('cookie'), isHttps());
    // Before another role ends the session that holds it.
    const held = await heldFormOf(deps, former, person_id);
    if (found.change !== undefined) await noteRole(found.change, found.person);
    security.record('console.oidc_signed_in', {
      subject: name,
      target: account,
      reason: found.isFirst ? 'first sign-in by this account' : undefined,
    });
    const { session, to } = await renewSession(deps, former, { person_id, role }, req.ip, {
      ...{ authenticated_at: verdict.identity.authenticated_at, held },
    });
    res.append('Set-Cookie', sessionCookie(session, isHttps()));
    res.redirect(303, to);
  };

  /** As a change by an admin: it is on record, and no session goes on under the former role. */
  async function noteRole(change: ClaimedChange, { person_id, role }: OperatorPerson): Promise<void> {
    if (change === 'kept') {
      deps.security.record('access.refused', {
        target: person_id,
        reason: 'the claim takes the last admin’s role, which they keep',
      });
      return;
    }
    const kind = change === 'made' ? 'person.invited' : 'person.role_changed';
    security.record(kind, { target: person_id, reason: `role ${role} by claim` });
    await endSessions(deps, person_id);
  }

  function refuse(res: Response, status: number, reason: string, words: string, subject?: string): void {
    security.record('console.oidc_refused', { reason, subject });
    problem(res, status, words);
  }

  function problem(res: Response, status: number, words: string): void {
    res
      .status(status)
      .type('html')
      .send(oidcProblemPage(words, OIDC_PATH, deps.hasLinks));
  }

  const router = Router();
  router.get('/', start);
  router.get('/callback', callback);
  return router;
}
