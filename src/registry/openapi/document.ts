import { z } from 'zod';
import { BUDGETS } from '../../platform/budget/budget-table.ts';
import { parametersOf } from '../../platform/openapi/parameters.ts';
import { scopeOf } from '../endpoint.ts';
import type { Endpoint, ResponseSpec } from '../endpoint.ts';

type Json = Record<string, unknown>;

/** Version of the registry's API description (rule C.versioning.api). */
const API_VERSION = '1.0.0';

const ErrorBody = z
  .looseObject({
    error: z.string().describe('What is wrong, and how to put it right'),
    field: z.string().optional().describe('Path of the offending input'),
    retry_after: z.number().int().optional().describe('Seconds to wait, with 429 and 503'),
    budget: z
      .object({ name: z.string(), size: z.number(), unit: z.string(), free_at: z.string().nullable() })
      .optional()
      .describe('With 429: what is used up, and when there is some again; null when something must be ended first'),
  })
  .meta({ description: 'Every refusal has this body; further facts may stand beside `error`' });

/** The OpenAPI 3.1 description of the endpoints, from the very schemas that validate. */
export function openApiDocument(endpoints: readonly Endpoint[], serverUrl: string): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const endpoint of endpoints) (paths[endpoint.path] ??= {})[endpoint.method] = operation(endpoint);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Registry',
      version: API_VERSION,
      description: 'Who may sell what, and for whom.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: serverUrl }],
    tags: [...new Set(endpoints.map((endpoint) => endpoint.tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas: { Error: jsonSchema(ErrorBody, 'output') },
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description:
            "An organization's API key, or a user's access token (OAuth 2.1), with the scope that the operation names.",
        },
      },
    },
  };
}

function operation(endpoint: Endpoint): Json {
  const { size, unit, scope: of } = BUDGETS[endpoint.limit];
  const scope = scopeOf(endpoint);
  const limited = `At most ${size} ${unit} for each ${of === 'person' ? 'caller' : of}.`;
  return {
    operationId: endpoint.id,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    description: endpoint.description === undefined ? limited : `${endpoint.description} ${limited}`,
    security: { public: [], optional: [{}, { bearer: [scope] }], required: [{ bearer: [scope] }] }[endpoint.access],
    parameters: [...parameters('path', endpoint.params), ...parameters('query', endpoint.query)],
    ...(endpoint.body && {
      requestBody: { required: true, content: { 'application/json': { schema: jsonSchema(endpoint.body, 'input') } } },
    }),
    ...(endpoint.rawBody === true && {
      requestBody: { required: true, content: { 'application/json': { schema: { type: 'object' } } } },
    }),
    responses: responses(endpoint),
  };
}

function parameters(place: 'path' | 'query', schema: z.ZodType | undefined): Json[] {
  return parametersOf(place, schema && jsonSchema(schema, 'input'));
}

const LIMIT_HEADERS: Json = {
  'RateLimit-Limit': integerHeader('Points in the window'),
  'RateLimit-Remaining': integerHeader('Points left'),
  'RateLimit-Reset': integerHeader('Seconds until the window ends'),
};

function integerHeader(description: string): Json {
  return { description, schema: { type: 'integer' } };
}

/** What an endpoint declares stands before what all may answer; a status that is both has the content of both. */
function responses(endpoint: Endpoint): Json {
  const [declared, refused] = [answers(endpoint), refusals(endpoint)];
  const merged = Object.entries(declared).map(([status, answer]) => {
    const refusal = refused[status];
    if (refusal === undefined) return [status, answer];
    return [status, { ...answer, content: { ...refusal.content, ...answer.content } }];
  });
  return { ...refused, ...(Object.fromEntries(merged) as Json) };
}

interface Response {
  description: string;
  headers?: Json;
  content?: Json;
}

function answers(endpoint: Endpoint): Record<string, Response> {
  return Object.fromEntries(
    Object.entries(endpoint.responses).map(([status, spec]) => [
      status,
      { description: spec.description, headers: LIMIT_HEADERS, ...contentOf(spec) },
    ]),
  );
}

function contentOf({ schema, contentType }: ResponseSpec): Pick<Response, 'content'> {
  if (contentType !== undefined) {
    const text: Json = { type: 'string' };
    const ofData = schema && { contentMediaType: 'application/json', contentSchema: jsonSchema(schema, 'output') };
    if (ofData) text['description'] = 'Server-sent events; the data of each is JSON of this schema';
    return { content: { [contentType]: { schema: { ...text, ...ofData } } } };
  }
  return schema === undefined ? {} : { content: { 'application/json': { schema: jsonSchema(schema, 'output') } } };
}

const HEAD_TOO_LONG: Response = { description: 'The path and the headers together are too long' };

/** The refusals any endpoint of this kind can answer. */
function refusals({ access, body, rawBody, params, query }: Endpoint): Record<string, Response> {
  const texts: [status: number, description: string, applies: boolean][] = [
    [400, 'The request is not valid', body !== undefined || params !== undefined || query !== undefined],
    [401, 'No credential, or one that is unknown, expired or revoked', access !== 'public'],
    [401, 'The signature is missing or wrong', rawBody === true],
    [403, 'The caller may not do this', access === 'required'],
    [404, 'No such thing', params !== undefined],
    [409, 'It conflicts with what is there', access === 'required'],
    [413, 'The body is too large', body !== undefined || rawBody === true],
    [415, 'The body is not JSON', body !== undefined],
    [429, 'Too many requests', true],
    [503, 'The store does not answer; try again', true],
  ];
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } };
  const told = texts.flatMap(([status, description, applies]) => (applies ? [[status, { description, content }]] : []));
  // Before anybody knows what is asked for: it has no body.
  return { ...(Object.fromEntries(told) as Record<string, Response>), 431: HEAD_TOO_LONG };
}

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json;
  return rest;
}
