import { Router } from 'express';
import type { Request, RequestHandler } from 'express';
import { z } from 'zod';
import { ANY_SHAPE } from '../../platform/intake/json-shape.ts';
import type { Shape } from '../../platform/intake/json-shape.ts';
import type { Logger } from '../../platform/log.ts';
import { AdCreative, AdOrder } from '../../sales/ad-server/ad-order.ts';
import type { AdServer } from '../../sales/ad-server/ad-server.ts';
import { ForecastQuery } from '../../sales/ad-server/inventory.ts';
import { StatementQuery } from '../../sales/ad-server/statement.ts';
import { MediaBuyId } from '../../sales/media-buy/media-buy-id.ts';
import { hasBearerToken } from './bearer-token.ts';
import { BRIDGE_CALLS, PUT_STATUS } from './bridge-calls.ts';
import type { BridgeAnswer, BridgeCall, BridgeCallName } from './bridge-calls.ts';
import { agreesWithPath, inputOf, pathId, readJsonBody } from './bridge-input.ts';
import { bridgeErrors, BridgeRefusal } from './bridge-refusal.ts';
import { bridgeDocument } from './openapi.ts';

export interface AdServerRouterOptions {
  /** What every call must carry as `Authorization: Bearer`. */
  token: string;
  log: Logger;
  /** Of a request's body. Default 8 MiB. */
  maxBodyBytes?: number;
  /** Milliseconds since the epoch. Default: the system's clock. */
  now?: () => number;
  /**
   * What is wrong with how a call proves whose it is, in words: then it is 401. `body`: the exact bytes; none for a call without.
   * Default: the token is enough.
   */
  verify?: CallProof;
  /** Has each call in its hands once token and body are in order, before anything is done. */
  beforeCall?: RequestHandler;
}

/** Any ad server as the HTTP bridge (`GET /v1/openapi.json`, which needs no token). */
export function createAdServerRouter(adServer: AdServer, options: AdServerRouterOptions): Router {
  const { token, log, maxBodyBytes = 8 * 1024 * 1024, now = Date.now, verify, beforeCall } = options;
  const document = bridgeDocument();
  const handlers = handlersOf(adServer);
  const router = Router({ caseSensitive: true, strict: true });
  router.get('/v1/openapi.json', (_request, response) => {
    response.set('Cache-Control', 'public, max-age=300').json(document);
  });
  router.use((request, _response, next) => {
    if (!hasBearerToken(request.get('authorization'), token))
      throw new BridgeRefusal(401, 'unauthorized', 'send the token as Authorization: Bearer');
    next();
  });
  const prove = verify && proofWanted(verify);
  const readBody = readJsonBody(maxBodyBytes, prove, ORDER_SHAPE);
  const readNothing: RequestHandler = async (request, _response, next) => {
    await prove?.(request, NO_BYTES);
    next();
  };
  for (const [name, call] of callsOf(BRIDGE_CALLS)) {
    const read = call.body === undefined ? readNothing : readBody;
    const before = [read, ...(beforeCall === undefined ? [] : [beforeCall])];
    router[METHOD[call.method]](expressPath(call), ...before, async (request, response) => {
      const { status = 200, answer } = await handlers[name](request);
      response.set('Cache-Control', 'no-store').status(status).json(answer);
    });
  }
  for (const [path, methods] of methodsByPath()) {
    router.all(path, (request, response) => {
      response.set('Allow', methods.join(', '));
      throw new BridgeRefusal(
        405,
        'method_not_allowed',
        `${request.method} is not answered here; send ${methods.join(' or ')}`,
      );
    });
  }
  router.use((request) => {
    throw new BridgeRefusal(404, 'not_found', `there is nothing at ${request.path}; see /v1/openapi.json`);
  });
  router.use(bridgeErrors({ log, now }));
  return router;
}

const NO_BYTES = Buffer.alloc(0);

/** Whoever has the token is trusted with whole orders, which are larger than what any buyer sends. */
const ORDER_SHAPE: Shape = {
  depth: ANY_SHAPE.depth,
  members: 100_000,
  allMembers: 1_000_000,
  elements: 100_000,
  values: 1_000_000,
};

export type CallProof = (request: Request, body: Buffer) => Promise<string | undefined>;

/** @throws {BridgeRefusal} 401, with what is wrong. */
function proofWanted(verify: CallProof): (request: Request, body: Buffer) => Promise<void> {
  return async (request, body) => {
    const fault = await verify(request, body);
    if (fault !== undefined) throw new BridgeRefusal(401, 'signature', fault);
  };
}

const METHOD = { GET: 'get', PUT: 'put', POST: 'post' } as const;

interface Answered<Name extends BridgeCallName> {
  /** Default 200. */
  status?: number;
  answer: BridgeAnswer<Name>;
}
type Handlers = { [Name in BridgeCallName]: (request: Request) => Promise<Answered<Name>> };

/** How each call is told to the ad server and its answer to the caller. */
function handlersOf(adServer: AdServer): Handlers {
  return {
    describe: async () => ({ answer: await adServer.describe() }),
    put: async (request) => {
      const answer = await adServer.put(orderIn(request));
      return { status: PUT_STATUS[answer.outcome], answer };
    },
    check: async (request) => ({ answer: await adServer.check(orderIn(request)) }),
    read: async ({ params }) => ({ answer: await adServer.read(MediaBuyId.parse(pathId(params['media_buy_id']))) }),
    statements: async ({ body }) => ({ answer: await adServer.statements(inputOf(StatementQuery, body, 'body')) }),
    putCreative: async (request) => {
      const creative = inputOf(AdCreative, request.body, 'body');
      agreesWithPath(request, 'creative_id', creative.creative_id);
      agreesWithPath(request, 'version', String(creative.version));
      return { answer: await adServer.putCreative(creative) };
    },
    forecast: async ({ body }) => {
      if (adServer.forecast === undefined) throw new BridgeRefusal(404, 'not_found', 'this ad server has no forecast');
      return { answer: await adServer.forecast(inputOf(ForecastQuery, body, 'body')) };
    },
    inventory: async ({ query }) => {
      if (adServer.inventory === undefined)
        throw new BridgeRefusal(404, 'not_found', 'this ad server has no inventory');
      const { cursor } = inputOf(InventoryQuery, query, 'query');
      return { answer: await adServer.inventory(cursor) };
    },
  };
}

const InventoryQuery = z.object({ cursor: z.string().optional() });

function orderIn(request: Request): AdOrder {
  const order = inputOf(AdOrder, request.body, 'body');
  agreesWithPath(request, 'media_buy_id', order.media_buy_id);
  return order;
}

function callsOf(calls: Readonly<Record<BridgeCallName, BridgeCall>>): [BridgeCallName, BridgeCall][] {
  return Object.entries(calls) as [BridgeCallName, BridgeCall][];
}

function expressPath({ path }: BridgeCall): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

function methodsByPath(): Map<string, string[]> {
  const found = new Map<string, string[]>([['/v1/openapi.json', ['GET']]]);
  for (const [, call] of callsOf(BRIDGE_CALLS)) {
    found.set(expressPath(call), [...(found.get(expressPath(call)) ?? []), call.method]);
  }
  return found;
}
