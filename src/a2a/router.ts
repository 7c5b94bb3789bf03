import express from 'express';
import type { ErrorRequestHandler, Request, RequestHandler, Response, Router } from 'express';
import { ANYBODY } from '../directory/caller.ts';
import type { Caller } from '../directory/caller.ts';
import type { Credentials } from '../directory/credential/authentication.ts';
import { authenticateRequest, bearerChallenge, isWithoutCredential } from '../directory/credential/authentication.ts';
import { BINDING_PATHS } from './card/agent-card.ts';
import { cardRoute } from './card/card-route.ts';
import { skillRoutes } from './documents/skill-routes.ts';
import { createEdge } from './edge.ts';
import type { Edge, EdgeOptions } from './edge.ts';
import { cardPreflight, cors } from './cors.ts';
import type { CorsOrigins } from '../platform/cors.ts';
import { EXTENSION_HEADERS, sharedExtensions } from './extensions.ts';
import { failureOf } from './failure.ts';
import { jsonBody } from './json-body.ts';
import { jsonRpcRoute } from './jsonrpc-route.ts';
import { restRoute } from './rest-route.ts';
import { strangersBody } from './strangers.ts';

export interface A2aOptions extends EdgeOptions {
  credentials: Credentials;
  /** Where the OAuth metadata of this resource are, for the challenge of a 401 (rule R13). */
  resourceMetadataUrl?: () => string;
  /** Whose pages may call from a browser; absent: nobody's. */
  corsOrigins?: CorsOrigins | undefined;
}

/**
 * Everything of A2A that is HTTP: the card at its well-known paths, JSON-RPC and HTTP+JSON.
 * @param edge shared with the other transports of this process, if there are any.
 */
export function a2aRouter(options: A2aOptions, edge: Edge = createEdge(options)): Router {
  const { credentials, log } = options;
  const { handler, calls, limits } = edge;
  const callers = new WeakMap<Request, Caller>();
  const callerOf = (request: Request): Caller => {
    const caller = callers.get(request);
    if (caller === undefined) throw new Error('the request has not been authenticated');
    return caller;
  };
  const isDiscovering = ({ headers }: Request): boolean =>
    edge.isDiscoverable && credentials.anonymous === undefined && isWithoutCredential(headers);
  const identify: RequestHandler = async (request, _response, next) => {
    const caller = await authenticateRequest(request.headers, credentials);
    callers.set(request, caller);
    await edge.admit(caller);
    next();
  };
  const nameExtensions: RequestHandler = (request, response, next) => {
    for (const header of EXTENSION_HEADERS) {
      const requested = request.get(header);
      const shared = requested === undefined ? undefined : sharedExtensions(requested, edge.extensions());
      if (shared !== undefined) response.setHeader(header, shared);
    }
    next();
  };
  const refusing =
    (refuse: (error: unknown, request: Request, response: Response) => void): ErrorRequestHandler =>
    (error: unknown, request, response, next) => {
      if (response.headersSent) {
        next(error);
        return;
      }
      if (failureOf(error).status === 401) {
        response.setHeader('WWW-Authenticate', bearerChallenge(request.headers, options.resourceMetadataUrl?.()));
      }
      refuse(error, request, response);
    };

  const body = jsonBody(limits.bodyBytes);
  const ofStrangers = strangersBody(body);
  /** Whoever comes without a credential to JSON-RPC is asked for one when it is known that they need it. */
  const identifyOrAsk: RequestHandler = async (request, response, next) => {
    if (!isDiscovering(request)) return identify(request, response, next);
    await edge.admitAnybody();
    callers.set(request, ANYBODY);
    // With a credential they would be told more (RFC 9110, section 11.6.1).
    response.setHeader('WWW-Authenticate', bearerChallenge(request.headers, options.resourceMetadataUrl?.()));
    next();
    return undefined;
  };
  const bodyOf: RequestHandler = (request, response, next) =>
    (callerOf(request) === ANYBODY ? ofStrangers : body)(request, response, next);
  const rpc = jsonRpcRoute({ handler, calls, log, heartbeatMs: limits.heartbeatMs });
  const rest = restRoute({ handler, calls, log, heartbeatMs: limits.heartbeatMs, callerOf });
  const router = express.Router();
  if (options.corsOrigins !== undefined) router.use(Object.values(BINDING_PATHS), cors(options.corsOrigins));
  router.use(Object.values(BINDING_PATHS), nameExtensions);
  router.options(CARD_PATHS, cardPreflight);
  router.get(CARD_PATHS, cardRoute(edge.publicCard));
  router.post(
    BINDING_PATHS.JSONRPC,
    identifyOrAsk,
    bodyOf,
    (request: Request, response: Response) =>
      rpc.answer(request.body, request.get(VERSION_HEADER), callerOf(request), response),
    refusing((error, request, response) => {
      rpc.refuse(error, request.body, request.get(VERSION_HEADER), response);
    }),
  );
  router.use(
    BINDING_PATHS['HTTP+JSON'],
    identify,
    whenThereIsOne(body),
    rest.router,
    refusing((error, request, response) => {
      rest.refuse(error, request, response);
    }),
  );
  router.use(
    skillRoutes({
      ...{ baseUrl: options.baseUrl, calling: options.calling, tasks: options.runtime.tasks },
      name: options.identity.name,
      startedAtMs: edge.publicCard.startedAtMs,
    }),
  );
  return router;
}

const VERSION_HEADER = 'A2A-Version';

/** At the origin, by either generation's name; and below `/a2a`, where clients that were given an address there look first. */
const CARD_PATHS = ['', '/a2a'].flatMap((below) =>
  ['agent-card.json', 'agent.json'].map((name) => `${below}/.well-known/${name}`),
);

/** Many requests of HTTP+JSON have no body. */
function whenThereIsOne(parse: RequestHandler): RequestHandler {
  return (request, response, next) => {
    const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers;
    if (encoding !== undefined || length !== '0') return parse(request, response, next);
    next();
    return undefined;
  };
}
