import { Router } from 'express';
import type { Response } from 'express';
import { z } from 'zod';
import type { Budgets } from '../../platform/budget/budgets.ts';
import { jsonSchemaOf } from '../../platform/json-schema.ts';
import { describedBy } from '../../platform/openapi/described-by.ts';
import { parametersOf } from '../../platform/openapi/parameters.ts';
import { errorBodyFor, sendErrorBody } from './error-response.ts';
import type { Json, Operation } from './operation.ts';
import { NDJSON, rowsNameOf } from './ndjson.ts';
import { operations } from './operations.ts';

/** Where the operator API is. */
const BASE = '/api/operator';

/** Version of the operator API. */
const API_VERSION = '0.1.0';

const ErrorAnswer = z.looseObject({
  error: z.looseObject({
    code: z.string().describe('What it is, for programs'),
    message: z.string().describe('What is wrong, and how to put it right'),
    recovery: z.string().describe('Whether sending it again, or otherwise, may help'),
    field: z.string().optional().describe('The offending input'),
    suggestion: z.string().optional(),
    retry_after: z.number().optional().describe('Seconds to wait'),
  }),
  request_id: z.string().optional().describe('By which the log knows of it'),
});

/** `/api/operator/openapi.json`, and `/docs/operator` to read it by: for everybody, since they say nothing of anybody. */
export function operatorDocumentRoutes({ baseUrl, budgets }: { baseUrl: string; budgets: Budgets }): Router {
  const jsonPath = `${BASE}/openapi.json`;
  const { json, page } = describedBy<Response>({
    ...{ jsonPath, budgets, baseUrl: () => baseUrl },
    links: [['/admin', 'The console']],
    document: operatorDocument,
    refuse: (response, error) => {
      sendErrorBody(response, errorBodyFor(error));
    },
  });
  const router = Router();
  router.get(jsonPath, json);
  router.get('/docs/operator', page);
  return router;
}

/** The OpenAPI 3.1 description of what operators see and do, from the very schemas that validate and answer. */
export function operatorDocument(baseUrl: string): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const operation of operations) {
    const path = operation.path.replaceAll(/:(\w+)/g, '{$1}');
    (paths[path] ??= {})[operation.method] = described(operation);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Operator',
      version: API_VERSION,
      description: 'What people at the seller see and do: the same as the console and the command line.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: `${baseUrl}${BASE}` }],
    tags: [...new Set(operations.map(tagOf))].map((name) => ({ name })),
    paths,
    components: {
      schemas: { Error: schemaOf(ErrorAnswer, 'output') },
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'A key of the operator API: OPERATOR_API_KEY, or one of `agent operator-keys add`.',
        },
      },
    },
  };
}

/** What an operation is about: the first step of its path. */
function tagOf({ path }: Operation): string {
  return path.split('/')[1] ?? '';
}

function described(operation: Operation): Json {
  const { method, path, summary, role, action, hasSecret = false, params, query, body, answer } = operation;
  const isDone = action === undefined ? [] : [`On record as ${action}.`];
  const isSecret = hasSecret ? ['Its answer is a secret, which is kept nowhere.'] : [];
  return {
    operationId: operationId(operation),
    tags: [tagOf(operation)],
    summary,
    description: [`Takes the role ${role}.`, ...isDone, ...isSecret].join(' '),
    security: [{ bearer: [] }],
    parameters: [
      ...parametersOf('path', params && schemaOf(params, 'input')),
      ...parametersOf('query', query && schemaOf(query, 'input')),
      ...(action === undefined ? [] : ACTION_HEADERS),
    ],
    ...(method === 'post' && {
      requestBody: {
        required: body !== undefined && !body.safeParse({}).success,
        content: { 'application/json': { schema: body === undefined ? EMPTY : schemaOf(body, 'input') } },
      },
    }),
    responses: {
      200: {
        description: 'It is so, or done',
        content: { ...content(schemaOf(answer, 'output')), ...(rowsNameOf(operation) !== undefined && AS_LINES) },
      },
      ...Object.fromEntries(
        refusals(path, method).map(([status, description]) => [
          status,
          { description, content: content({ $ref: '#/components/schemas/Error' }) },
        ]),
      ),
    },
  };
}

/** `approvals_approve`; of what only reads `get_approvals_by_approval_id`. */
function operationId({ method, path, action }: Operation): string {
  return (
    action?.replaceAll('.', '_') ??
    [method, ...path.split('/').slice(1)].join('_').replaceAll(':', 'by_').replaceAll('-', '_')
  );
}

const EMPTY: Json = { type: 'object', additionalProperties: false };

const ACTION_HEADERS: readonly Json[] = [
  {
    ...{ name: 'Idempotency-Key', in: 'header', required: false },
    description:
      'The same request again under it is done once; of an answer that is a secret, a new one takes the place of the first',
    schema: { type: 'string', pattern: '^[A-Za-z0-9_.:-]{16,255}$' },
  },
  {
    ...{ name: 'Operator-Name', in: 'header', required: false },
    description: 'A note for the record, percent-encoded: who sits there',
    schema: { type: 'string' },
  },
];

function refusals(path: string, method: Operation['method']): [status: number, description: string][] {
  const isOfOne = path.includes(':');
  const rows: [status: number, description: string, applies: boolean][] = [
    [400, 'The request is not valid', true],
    [401, 'No key, or one that is unknown, over or revoked', true],
    [403, 'It takes another role', true],
    [404, 'No such thing', isOfOne],
    [409, 'Its state forbids it, or the Idempotency-Key came with another request', method === 'post'],
    [413, 'The body is too large', method === 'post'],
    [415, 'The body is not JSON', method === 'post'],
    [422, 'An input does not fit; field names it', true],
    [429, 'Too many requests', true],
    [503, 'The store does not answer; try again', true],
  ];
  return rows.flatMap(([status, description, applies]) => (applies ? [[status, description]] : []));
}

/** A list in pages is had as a whole, too. */
const AS_LINES: Json = {
  [NDJSON]: {
    schema: {
      type: 'string',
      description:
        'The whole list from `cursor` on, one row a line, whatever `limit` says; after 100,000 rows a last line, {"cursor":"…"}, says where to go on',
    },
  },
};

function content(schema: Json): Json {
  return { 'application/json': { schema } };
}

function schemaOf(schema: z.ZodType, side: 'input' | 'output'): Json {
  const { $schema: _dialect, ...rest } = jsonSchemaOf(schema, side);
  return rest;
}
