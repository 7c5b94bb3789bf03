import type { NextFunction, Request, RequestHandler, Response, Router } from 'express';
import { BUDGETS } from '../../platform/budget/budget-table.ts';
import { AppError } from '../../platform/errors.ts';
import type { OrganizationId } from '../../platform/organization-id.ts';
import { recordRefusal } from '../../platform/security/record-refusal.ts';
import type { SecurityFacts } from '../../platform/security/security-log.ts';
import { StoreUnavailableError } from '../../platform/store/collection.ts';
import { shownError } from '../../platform/store/shown-error.ts';
import { actingOrganization } from '../auth/acting-organization.ts';
import type { Authenticate } from '../auth/authenticate.ts';
import { callerId, countedAs, requireScope } from '../auth/caller.ts';
import type { RegistryCaller } from '../auth/caller.ts';
import type { RegistryContext } from '../context.ts';
import { scopeOf } from '../endpoint.ts';
import type { EndpointCall, Endpoint } from '../endpoint.ts';
import { addressKey } from '../../platform/client-address.ts';
import { sendError, statusOf, withRemedy } from './error-response.ts';
import { readSent, parsedRequest } from './read-request.ts';
import { sendAnswer } from './send-answer.ts';
import { spendFor } from './spend.ts';
import type { BeginWriting, StoreWatch } from './store-watch.ts';

export interface MountDeps {
  context: RegistryContext;
  authenticate: Authenticate;
  storeWatch: StoreWatch;
}

/** Puts an endpoint on the router: credential, limit, body, parsing, handler, answer; each in turn, errors as one. */
export function mount(router: Router, endpoint: Endpoint, deps: MountDeps): void {
  router[endpoint.method](routeOf(endpoint), serve(endpoint, deps));
}

/** An endpoint's path as Express writes it. */
export function routeOf({ path }: Pick<Endpoint, 'path'>): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

function serve(endpoint: Endpoint, { context, authenticate, storeWatch }: MountDeps): RequestHandler {
  const spend = spendFor(endpoint, context.budgets);
  const { scope } = BUDGETS[endpoint.limit];
  // With every member there is: V8 copies it as a whole, while each member added to a copy costs more than all of that.
  const nobodysCall: EndpointCall = {
    ...{ ...context, caller: undefined, organization_id: undefined },
    ...{ address: '', header: () => undefined },
  };

  async function run(req: Request, res: Response, known: Known, beginWriting: BeginWriting): Promise<void> {
    const from = req.ip ?? '';
    const address = addressKey(from);
    const say = (headers: Record<string, string>) => res.set(headers);
    let giveBack = scope === 'address' ? await spend(address, say) : undefined;
    // A cache between must not answer one caller with what another saw.
    if (endpoint.access !== 'public') res.vary('Authorization');
    const caller = await callerOf(req, res, from, known);
    const acting = await organizationOf(caller, req);
    const key = keyOf(caller, acting) ?? address;
    if (scope !== 'address') giveBack = await spend(key, say);
    if (acting instanceof AppError) throw acting;
    try {
      const sent = await readSent(endpoint, req, caller).catch((error: unknown) => {
        throw withRemedy(error, endpoint);
      });
      const call: EndpointCall = { ...nobodysCall };
      call.caller = caller;
      call.organization_id = acting;
      call.address = from;
      call.header = (name) => req.get(name);
      const input = parsedRequest(endpoint, req, sent);
      if (endpoint.effect === 'write') {
        await beginWriting();
        known.isWriting = true;
      }
      await sendAnswer(res, endpoint, await endpoint.handle(input, call), context.stallMs);
    } catch (error) {
      if (!isRefusal(error)) await giveBack?.();
      throw error;
    }
    await giveBack?.();
  }

  async function callerOf(
    req: Request,
    res: Response,
    address: string,
    known: Known,
  ): Promise<RegistryCaller | undefined> {
    if (endpoint.access === 'public') return undefined;
    const caller = await authenticate(req.get('authorization'), { address, say: (headers) => res.set(headers) });
    known.caller = caller;
    if (caller === undefined && endpoint.access === 'required')
      throw new AppError('UNAUTHORIZED', 'send a credential: Authorization: Bearer <API key or access token>');
    requireScope(caller, scopeOf(endpoint));
    return caller;
  }

  /** The organization that acts, or why there is none: what is refused for that counts as a call of the caller's. */
  async function organizationOf(
    caller: RegistryCaller | undefined,
    req: Request,
  ): Promise<OrganizationId | AppError | undefined> {
    if (endpoint.area !== 'webhooks' || caller === undefined) return undefined;
    return actingOrganization(context.store, caller, req.query['organization_id']).catch((error: unknown) => {
      if (error instanceof AppError) return error;
      throw error;
    });
  }

  function keyOf(caller: RegistryCaller | undefined, acting: OrganizationId | AppError | undefined) {
    if (scope === 'organization' && typeof acting === 'string') return acting;
    return caller && countedAs(caller);
  }

  return (req, res, next) => {
    const known: Known = { caller: undefined, isWriting: false };
    const guarded = storeWatch.guard(
      (beginWriting) => run(req, res, known, beginWriting),
      () => res.headersSent,
    );
    guarded.catch((error: unknown) => {
      // What the way out refuses of a URL that is only to be looked at, it has put on record itself.
      const isOnRecord = error instanceof AppError && error.code === 'ADDRESS_REFUSED' && endpoint.area !== 'webhooks';
      if (!isOnRecord) recordRefusal(context.security, error, factsOf(known.caller));
      const isUnsure = known.isWriting && error instanceof StoreUnavailableError;
      fail(isUnsure ? PERHAPS_DONE : error, endpoint, context, req, res, next);
    });
  };
}

/** What turned out of a request. */
interface Known {
  /** For what is put on record of a refusal. */
  caller: RegistryCaller | undefined;
  /** From then on something may have been written. */
  isWriting: boolean;
}

/** The store went away under a write: nobody knows how far that came. */
const PERHAPS_DONE = new AppError(
  'SERVICE_UNAVAILABLE',
  'the agent lost its store while it did this, so it may have been done, or be done yet; look before you send it again',
  { retry_after: 5 },
);

function factsOf(caller: RegistryCaller | undefined): SecurityFacts {
  const organization_id = caller?.kind === 'user' ? caller.user.organization_id : caller?.key.organization_id;
  return { subject: caller && callerId(caller), organization_id };
}

function isRefusal(error: unknown): boolean {
  return error instanceof AppError && statusOf(error) < 500;
}

function fail(
  error: unknown,
  endpoint: Endpoint,
  { log, baseUrl }: RegistryContext,
  req: Request,
  res: Response,
  next: NextFunction,
): void {
  if (res.headersSent) {
    next(error);
    return;
  }
  const known = shownError(error);
  // What was refused on purpose, as where billing is not set up, is no failure: no stack for every stranger who asks.
  if (!(error instanceof AppError) && (known.code === 'INTERNAL_ERROR' || known.code === 'SERVICE_UNAVAILABLE'))
    log.error({ err: error, endpoint: endpoint.id }, 'registry request failed');
  if (known.code === 'UNAUTHORIZED') {
    const invalid = req.get('authorization') === undefined ? '' : ', error="invalid_token"';
    const metadata = `${baseUrl()}/.well-known/oauth-protected-resource/api`;
    res.set('WWW-Authenticate', `Bearer resource_metadata="${metadata}"${invalid}`);
  }
  sendError(res, known, endpoint);
}
