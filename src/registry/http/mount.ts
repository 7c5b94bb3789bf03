import type { NextFunction, Request, RequestHandler, Response, Router } from 'express';
import { BUDGETS } from '../../platform/budget/budget-table.ts';
import type { SpentBudget } from '../../platform/budget/budget-table.ts';
import { drawAndTell, takeAndTell } from '../../platform/budget/take-and-tell.ts';
import { AppError } from '../../platform/errors.ts';
import { jsonPointer } from '../../platform/field-path.ts';
import { INPUT_LIMITS } from '../../platform/intake/input-limits.ts';
import { parseJson, parseLargeJson } from '../../platform/intake/parse-json.ts';
import { readBody } from '../../platform/intake/read-body.ts';
import type { OrganizationId } from '../../platform/organization-id.ts';
import { recordRefusal } from '../../platform/security/record-refusal.ts';
import type { SecurityFacts } from '../../platform/security/security-log.ts';
import { StoreUnavailableError } from '../../platform/store/collection.ts';
import { shownError } from '../../platform/store/shown-error.ts';
import { parseInput } from '../../platform/validation.ts';
import { actingOrganization } from '../auth/acting-organization.ts';
import type { Authenticate } from '../auth/authenticate.ts';
import { callerId, countedAs, requireScope } from '../auth/caller.ts';
import type { RegistryCaller } from '../auth/caller.ts';
import type { RegistryContext } from '../context.ts';
import { scopeOf } from '../endpoint.ts';
import type { Answer, EndpointCall, Endpoint } from '../endpoint.ts';
import { addressKey } from '../../platform/client-address.ts';
import { sendError, statusOf, withRemedy } from './error-response.ts';
import { sendGzipped, sendJson } from './send-json.ts';
import { sendPieces } from './send-pieces.ts';
import type { BeginWriting, StoreWatch } from './store-watch.ts';

export interface MountDeps {
  context: RegistryContext;
  authenticate: Authenticate;
  storeWatch: StoreWatch;
}

/** What is looked up again and again, of which each process takes its share ahead: a look-up costs no command of Redis's of its own. */
const IN_SHARES: ReadonlySet<string> = new Set<SpentBudget>([
  'look_up_operator',
  'look_up_publisher',
  'check_authorization',
]);

/** Puts an endpoint on the router: credential, limit, body, parsing, handler, answer; each in turn, errors as one. */
export function mount(router: Router, endpoint: Endpoint, deps: MountDeps): void {
  router[endpoint.method](routeOf(endpoint), serve(endpoint, deps));
}

/** An endpoint's path as Express writes it. */
export function routeOf({ path }: Pick<Endpoint, 'path'>): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

function serve(endpoint: Endpoint, { context, authenticate, storeWatch }: MountDeps): RequestHandler {
  const { budgets } = context;
  const { scope } = BUDGETS[endpoint.limit];
  // With every member there is: V8 copies it as a whole, while each member added to a copy costs more than all of that.
  const nobodysCall: EndpointCall = {
    ...{ ...context, caller: undefined, organization_id: undefined },
    ...{ address: '', header: () => undefined },
  };

  const counts = endpoint.counts !== 'refused';
  const isInShares = counts && IN_SHARES.has(endpoint.limit);

  /** Answers what undoes it, where not all is counted. */
  async function spend(key: string, res: Response): Promise<(() => Promise<void>) | undefined> {
    const [use, say] = [{ name: endpoint.limit, key }, (headers: Record<string, string>) => res.set(headers)] as const;
    if (isInShares) await drawAndTell(budgets, use, say);
    else {
      const { giveBack } = await takeAndTell(budgets, use, say);
      if (!counts) return giveBack;
    }
    return undefined;
  }

  async function run(req: Request, res: Response, known: Known, beginWriting: BeginWriting): Promise<void> {
    const from = req.ip ?? '';
    const address = addressKey(from);
    let giveBack = scope === 'address' ? await spend(address, res) : undefined;
    // A cache between must not answer one caller with what another saw.
    if (endpoint.access !== 'public') res.vary('Authorization');
    const caller = await callerOf(req, res, from, known);
    const acting = await organizationOf(caller, req);
    const key = keyOf(caller, acting) ?? address;
    if (scope !== 'address') giveBack = await spend(key, res);
    if (acting instanceof AppError) throw acting;
    try {
      const sent = await bodyOf(endpoint, req, caller).catch((error: unknown) => {
        throw withRemedy(error, endpoint);
      });
      const call: EndpointCall = { ...nobodysCall };
      call.caller = caller;
      call.organization_id = acting;
      call.address = from;
      call.header = (name) => req.get(name);
      const input = inputOf(endpoint, req, sent);
      if (endpoint.effect === 'write') {
        await beginWriting();
        known.isWriting = true;
      }
      await send(res, endpoint, await endpoint.handle(input, call), context.stallMs);
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

/** What came in a request's body: its bytes, and what they say, where the endpoint reads it. */
interface SentBody {
  rawBody: Buffer;
  json?: unknown;
}

const NO_BODY: SentBody = { rawBody: Buffer.alloc(0) };

/** Reads the body through the gate. @throws {AppError} for another type, bad JSON, or too much of it. */
async function bodyOf(
  { body, rawBody, bodyBytes, bodyShape }: Endpoint,
  req: Request,
  caller: RegistryCaller | undefined,
): Promise<SentBody> {
  const isRaw = rawBody === true;
  if (body === undefined && !isRaw) return NO_BODY;
  const type = req.get('content-type');
  if (type !== undefined && req.is('application/json') === false)
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'send the body as content-type application/json');
  if (type === undefined && !isRaw) return NO_BODY;
  const bytes = await readBody(req, bodyBytes ?? INPUT_LIMITS.registryBodyBytes, {
    isStranger: caller === undefined,
  });
  if (isRaw || bytes.length === 0) return { rawBody: bytes };
  return { ...NO_BODY, json: bodyShape ? await parseLargeJson(bytes, bodyShape) : parseJson(bytes).value };
}

/** A request's parsed input. @throws {AppError} for what does not fit the endpoint's schemas. */
function inputOf(endpoint: Endpoint, req: Request, { rawBody, json }: SentBody) {
  return {
    params: endpoint.params && parseInput(endpoint.params, req.params),
    query: endpoint.query && parseInput(endpoint.query, eachOnce(req.query)),
    body: endpoint.body && parseInput(endpoint.body, json),
    rawBody,
  };
}

/** @throws {AppError} for a parameter that was sent more than once: which of the values is meant, nobody knows. */
function eachOnce(query: Request['query']): Request['query'] {
  const [field] = Object.entries(query).find(([, value]) => Array.isArray(value)) ?? [];
  if (field === undefined) return query;
  throw new AppError('VALIDATION_ERROR', `${field}: send it once`, {
    field,
    issues: [{ pointer: jsonPointer([field]), message: 'send it once' }],
  });
}

/** Sends an answer after checking it against what the endpoint declares. @throws {Error} when it does not fit. */
async function send(
  res: Response,
  endpoint: Endpoint,
  { status = 200, body, json, gzipped, text, stream, headers = {} }: Answer,
  stallMs?: number,
): Promise<void> {
  const declared = endpoint.responses[status];
  if (declared === undefined) throw new Error(`${endpoint.id} answered ${status}, which it does not declare`);
  if (res.headersSent) {
    // The caller has been told that the store is away. What the stream holds is let go all the same.
    for await (const _ of stream?.(AbortSignal.abort()) ?? []) break;
    return;
  }
  res.status(status).set(headers);
  if (stream !== undefined) await sendPieces(res.type(declared.contentType ?? 'text/plain'), stream, stallMs);
  else if (json !== undefined) sendJson(res, json);
  else if (gzipped !== undefined) await sendGzipped(res, gzipped);
  else if (text !== undefined) res.type(declared.contentType ?? 'text/plain').send(text);
  else if (declared.schema !== undefined) res.json(declared.schema.parse(body));
  else res.end();
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
