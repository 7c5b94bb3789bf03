import { z } from 'zod';
import { AdCreative, AdOrder } from '../../sales/ad-server/ad-order.ts';
import { BRIDGE_CALLS, BridgeError } from './bridge-calls.ts';
import type { BridgeCall } from './bridge-calls.ts';
import { RING_PATH, RING_REFUSALS, RingEvent } from './ring-event.ts';

type Json = Record<string, unknown>;

/** Version of the bridge; `Description.protocol` is its first number. */
const BRIDGE_VERSION = '1.1.0';

/** Schemas that stand in `components`, by name. */
const NAMED: ReadonlyMap<z.ZodType, string> = new Map<z.ZodType, string>([
  [AdOrder, 'AdOrder'],
  [AdCreative, 'AdCreative'],
  [BridgeError, 'Error'],
]);

/** The OpenAPI 3.1 description of the bridge, from the very schemas that client and router validate by. */
export function bridgeDocument(): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const [name, call] of Object.entries<BridgeCall>(BRIDGE_CALLS)) {
    (paths[call.path] ??= {})[call.method.toLowerCase()] = operation(name, call);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Ad server bridge',
      version: BRIDGE_VERSION,
      description:
        'What an ad server answers so that a sales agent can sell on it: an order is told as what it is to be, under a version that only grows. Bodies are the types of the port, verbatim; money is in minor units, instants are UTC with milliseconds. In a path, an id that is empty, is one or two dots or begins with ~ has a ~ put before it.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }],
    paths,
    webhooks: { ring: { post: RING } },
    components: {
      schemas: Object.fromEntries([...NAMED].map(([schema, name]) => [name, jsonSchema(schema)])),
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'The token that the agent and the ad server share.' },
      },
    },
  };
}

function operation(operationId: string, { summary, description, path, body, query = [], answers }: BridgeCall): Json {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: TEXT,
  }));
  const inQuery = query.map((name) => ({ name, in: 'query', required: false, schema: TEXT }));
  return {
    operationId,
    summary,
    ...(description !== undefined && { description }),
    parameters: [...inPath, ...inQuery],
    ...(body && { requestBody: { required: true, content: content(body) } }),
    responses: {
      ...Object.fromEntries(
        Object.entries(answers).map(([status, schema]) => [
          status,
          { description: MEANING[Number(status)] ?? 'The answer', content: content(schema) },
        ]),
      ),
      ...refusals(FAULTS),
    },
  };
}

/** What the ad server may send to the agent: the one call in the other direction. */
const RING: Json = {
  operationId: 'ring',
  summary: 'Has the agent read an order soon',
  description: `Sent to ${RING_PATH} of the agent, with the same token, when something has happened to an order: a person paused it, a pending version was decided, it ended. May be left out, and lost: the agent reads every order hourly. However often it is sent, an order is read at most once in 5 s for it.`,
  requestBody: { required: true, content: content(RingEvent) },
  responses: {
    202: { description: 'The order will be read', content: content(RingEvent) },
    ...refusals(RING_REFUSALS),
  },
};

function refusals(texts: Readonly<Record<number, string>>): Json {
  return Object.fromEntries(
    Object.entries(texts).map(([status, text]) => [status, { description: text, content: content(BridgeError) }]),
  );
}

const TEXT: Json = { type: 'string' };

const MEANING: Readonly<Record<number, string>> = {
  200: 'The answer; of a put, it is done',
  202: 'Pending: not decided yet',
  409: 'Stale: a higher version was put before',
  422: 'Refused: nothing of this version holds or ever will',
};

/** What is no answer: the outcome is not known. */
const FAULTS: Readonly<Record<number, string>> = {
  400: 'The request breaks the protocol, such as another digest under one version; a person must look',
  401: 'No token, or a wrong one',
  403: 'The ad server’s own configuration is refused where it stands; a person must mend it',
  429: 'Too many calls; come again, after Retry-After where it is given',
  503: 'Not now; come again, after Retry-After where it is given',
};

function content(schema: z.ZodType): Json {
  const name = NAMED.get(schema);
  return {
    'application/json': { schema: name === undefined ? jsonSchema(schema) : { $ref: `#/components/schemas/${name}` } },
  };
}

function jsonSchema(schema: z.ZodType): Json {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' }) as Json;
  return rest;
}
