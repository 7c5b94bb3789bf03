import { randomUUID } from 'node:crypto';
import type { Request, Response } from 'express';
import type { AccountSignIn } from '../../directory/oauth/account-sign-in.ts';
import type { Authenticator } from '../../directory/api-key/authenticator.ts';
import type { Budgets } from '../../platform/budget/budgets.ts';
import type { SpentBudget } from '../../platform/budget/budget-table.ts';
import { takeAndTell } from '../../platform/budget/take-and-tell.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Sealer } from '../../platform/crypto/sealer.ts';
import { AppError } from '../../platform/errors.ts';
import { INPUT_LIMITS } from '../../platform/intake/input-limits.ts';
import { parseForm } from '../../platform/intake/parse-form.ts';
import { readBody } from '../../platform/intake/read-body.ts';
import type { Logger } from '../../platform/log.ts';
import type { SecurityLog } from '../../platform/security/security-log.ts';
import type { Store } from '../../platform/store/collection.ts';
import type { WebhooksOfBuyer } from '../../webhooks/buyer/buyer.ts';
import type { Webhooks } from '../../webhooks/webhooks.ts';
import { formToken, isFormToken } from '../console/form-token.ts';
import type { Markup } from '../console/html/markup.ts';
import { oncePerClick, portalSessionFrom } from '../portal-session.ts';
import type { PortalCaller } from '../portal-session.ts';
import { portalShell } from './portal-shell.tsx';
import type { PortalGuestShown, PortalPage } from './portal-shell.tsx';

export interface PortalDeps {
  store: Store;
  clock: Clock;
  log: Logger;
  security: SecurityLog;
  budgets: Budgets;
  authenticator: Pick<Authenticator, 'authenticate'>;
  webhooks: Pick<Webhooks, 'buyer'>;
  sealer: Sealer;
  /** How people sign in with their own account; undefined: they cannot. */
  accounts: AccountSignIn | undefined;
  /** The origin the portal is reached at. */
  baseUrl: () => string;
}

export type Form = Record<string, unknown>;

/** What all pages of the portal stand on: whose they are, in which budget, and how a form is taken. */
export interface PortalDesk {
  clock: Clock;
  budgets: Budgets;
  buyer: WebhooksOfBuyer;
  /** Says who calls from now on. */
  admit(request: Request, caller: PortalCaller): void;
  callerOf(request: Request): PortalCaller;
  /** @throws {AppError} `RATE_LIMITED`. */
  take(name: SpentBudget, request: Request, response: Response): Promise<unknown>;
  /** The cookie's value, if there is one. */
  cookieOf(request: Request): string | undefined;
  isSecure(): boolean;
  /** What a form needs besides its fields, to be taken once and from this session alone. */
  fieldsFor(request: Request, action: string): Markup;
  /** The same for whoever may change anything; undefined for others. */
  fieldsToWrite(request: Request, action: string): Markup | undefined;
  /** A form and its click. @throws {AppError} `FORBIDDEN` for one that was not made for this session and action. */
  formFor(request: Request, action: string): Promise<{ click: string; form: Form }>;
  /** Does once for each click what takes `webhooks:write`. @throws {AppError} `FORBIDDEN` without it. */
  act(request: Request, action: string, work: (form: Form) => Promise<void>): Promise<void>;
  send(request: Request, response: Response, page: PortalPage): void;
}

export function createPortalDesk(deps: PortalDeps): PortalDesk {
  const { store, clock, security, budgets, webhooks } = deps;
  const callers = new WeakMap<Request, PortalCaller>();
  const isSecure = () => deps.baseUrl().startsWith('https:');
  /** Where a session may go on to another organization, a form is of the one that it was made for, too. */
  const formOfCaller = (request: Request, action: string) => {
    const { user_id, organization_id } = desk.callerOf(request);
    return user_id === undefined ? `portal${action}` : `portal of ${organization_id}${action}`;
  };
  const desk: PortalDesk = {
    ...{ clock, budgets, buyer: webhooks.buyer, isSecure },
    admit: (request, caller) => void callers.set(request, caller),
    callerOf(request) {
      const caller = callers.get(request);
      if (caller === undefined) throw new Error('a page of the portal stands before its sign-in');
      return caller;
    },
    take: (name, request, response) =>
      takeAndTell(budgets, { name, key: desk.callerOf(request).organization_id }, (headers) => response.set(headers)),
    cookieOf: (request) => portalSessionFrom(request.get('cookie'), isSecure()),
    fieldsFor: (request, action) => (
      <>
        <input
          type="hidden"
          name="_token"
          value={formToken(desk.cookieOf(request) ?? '', formOfCaller(request, action))}
        />
        <input type="hidden" name="_click" value={randomUUID()} />
      </>
    ),
    fieldsToWrite: (request, action) =>
      mayWrite(desk.callerOf(request)) ? desk.fieldsFor(request, action) : undefined,
    async formFor(request, action) {
      const { _token, _click, ...form } = await formOf(request, { isStranger: false });
      if (isFormToken(_token, desk.cookieOf(request) ?? '', formOfCaller(request, action))) {
        if (typeof _click === 'string' && _click !== '') return { click: _click.slice(0, 64), form };
      }
      security.record('console.cross_site', { target: 'portal' });
      throw new AppError(
        'FORBIDDEN',
        'this form is not of this session any more; load the page anew, and send it again',
      );
    },
    async act(request, action, work) {
      const { click, form } = await desk.formFor(request, action);
      if (!mayWrite(desk.callerOf(request)))
        throw new AppError('FORBIDDEN', 'the API key that you signed in with lacks the scope webhooks:write');
      await oncePerClick({ store, clock }, { cookie: desk.cookieOf(request) ?? '', click }, () => work(form));
    },
    send(request, response, page) {
      const caller = callers.get(request);
      const guest = caller && { name: caller.name, hasOthers: caller.user_id !== undefined };
      sendPortalPage(response, page, guest);
    },
  };
  return desk;
}

function mayWrite({ scopes }: PortalCaller): boolean {
  return scopes.includes('webhooks:write');
}

export async function formOf(request: Request, { isStranger }: { isStranger: boolean }): Promise<Form> {
  if (typeof request.is('application/x-www-form-urlencoded') !== 'string')
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'send a form');
  return parseForm(await readBody(request, INPUT_LIMITS.consoleFormBytes, { isStranger }));
}

export function sendPortalPage(response: Response, page: PortalPage, guest?: PortalGuestShown): void {
  response.type('html').send(portalShell({ ...page, guest }));
}

/** The fields of a form by GET that were filled in. */
export function filled(query: Request['query']): Record<string, unknown> {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ''));
}
