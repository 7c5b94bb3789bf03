import { A2AService } from '@a2a-js/sdk/server/grpc';
import { LegacyA2AService } from '@a2a-js/sdk/compat/v0_3/server/grpc';
import type { Message } from '@a2a-js/sdk';
import fc from 'fast-check';
import { keepContexts } from '../../src/a2a/context-text.ts';
import { sharedExtensions } from '../../src/a2a/extensions.ts';
import { checkDecoded, decodingSafely } from '../../src/a2a/grpc-decoding.ts';
import { readInvocation } from '../../src/a2a/invocation.ts';
import { checkEnvelope, checkMethod, idOf, wireOf } from '../../src/a2a/jsonrpc-envelope.ts';
import { legacyPushBody } from '../../src/a2a/legacy-push-body.ts';
import { withOneScheme } from '../../src/a2a/legacy-wire.ts';
import { partsTaken } from '../../src/a2a/output-modes.ts';
import { sessionFrom } from '../../src/admin/session.ts';
import { operations } from '../../src/admin/operator/operations.ts';
import { inputOf } from '../../src/adservers/http/bridge-input.ts';
import { BridgeRefusal } from '../../src/adservers/http/bridge-refusal.ts';
import { RingEvent } from '../../src/adservers/http/ring-event.ts';
import { canonicalAgentUrl } from '../../src/directory/agent/canonical-agent-url.ts';
import { verifyEvent } from '../../src/directory/billing/event-signature.ts';
import { normalizeDomain, normalizeHost, withParents } from '../../src/directory/domain/normalize-domain.ts';
import { isRegisteredUri, redirectUriProblem } from '../../src/oauth/client/redirect-uri.ts';
import { cookieFrom } from '../../src/oauth/authorize/browser-session.ts';
import { OAuthError } from '../../src/oauth/oauth-error.ts';
import { addressKey } from '../../src/platform/client-address.ts';
import { AppError } from '../../src/platform/errors.ts';
import { fittingParts } from '../../src/platform/fitting-parts.ts';
import { parseForm } from '../../src/platform/intake/parse-form.ts';
import { messageIn } from '../../src/mcp/message-body.ts';
import { checkNames } from '../../src/mcp/own-names.ts';
import { parseJson } from '../../src/platform/intake/parse-json.ts';
import { compactJson, scanJson } from '../../src/platform/json-scan.ts';
import { withTexts } from '../../src/platform/json-text.ts';
import { retryAfterMs } from '../../src/platform/outbound/retry-after.ts';
import { decodeCursor } from '../../src/platform/store/collection-cursor.ts';
import { parseInput } from '../../src/platform/validation.ts';
import { readAdAgents } from '../../src/registry/crawl/adagents-file.ts';
import { endpoints } from '../../src/registry/index.ts';
import { parseAdsTxt } from '../../src/registry/sellers/parse-ads-txt.ts';
import { parseSellersJson } from '../../src/registry/sellers/parse-sellers-json.ts';
import type { TaskDefinition } from '../../src/runtime/task-definition.ts';
import { readPlainText } from '../../src/tasks/plain-text.ts';
import { bytesNear, headerText, jsonNear, textNear, valueNear } from './inputs.ts';

/** A parser of what comes from outside, and what to try it with. It takes its input, or refuses it as the wires can tell. */
export interface FuzzedParser {
  name: string;
  input: fc.Arbitrary<unknown>;
  /** Reads the input; throws what {@link isRefusal} knows, and nothing else. */
  read: (input: never) => unknown;
}

/** What the wires can tell a caller; anything else that a parser throws is a fault of ours. */
export function isRefusal(error: unknown): boolean {
  return error instanceof AppError || error instanceof OAuthError || error instanceof BridgeRefusal;
}

function parser<T>(name: string, input: fc.Arbitrary<T>, read: (input: T) => unknown): FuzzedParser {
  return { name, input, read };
}

const NOW = Date.parse('2026-01-01T00:00:00.000Z');

/** Every one there is. @param tasks as they are described. */
export function fuzzedParsers(tasks: ReadonlyMap<string, TaskDefinition>): FuzzedParser[] {
  const examples = [...tasks.values()].flatMap(({ name, examples: all }) =>
    all.map(({ input }) => ({ skill: name, input })),
  );
  const messages = examples.map((data) => messageOf([{ data }]));
  const requests = messages.map((message) => ({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } }));
  const toolCalls = examples.map(({ skill, input }) => ({
    ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
    params: { name: skill, arguments: { ...input, context: { a: 1 } } },
  }));
  return [
    parser('a JSON body', jsonNear(requests), (text) => {
      const { text: read, value } = parseJson(Buffer.from(text), { isStored: true });
      return keepContexts(read, value);
    }),
    parser('any bytes as JSON', bytesNear(requests), (bytes) => parseJson(Buffer.from(bytes))),
    parser('the scan of JSON', jsonNear(messages), (text) => {
      scanJson(text, { member: () => undefined, repeated: () => undefined });
      return withTexts(compactJson(text));
    }),
    parser('an envelope', valueNear(requests), (body) => {
      idOf(body);
      const { method } = checkEnvelope(body);
      checkMethod(method, wireOf(undefined, method));
    }),
    parser('a message of MCP', jsonNear(toolCalls), (text) => messageIn(Buffer.from(text))),
    parser('the names that MCP is called by', headerText, (header) => {
      const names = {
        baseUrl: 'https://sales.publisher.example',
        isAtLoopback: true,
        corsOrigins: ['https://a.example'],
      };
      checkNames({ host: header, origin: header }, names);
      checkNames({ host: 'localhost', origin: header }, names);
    }),
    parser('a version', headerText, (header) => wireOf(header, 'SendMessage')),
    parser('extensions', headerText, (header) => sharedExtensions(header, ['https://a.example/x'])),
    parser('output modes', valueNear([['text/plain', 'application/json; q=1']]), (modes) => partsTaken(modes)),
    parser('a push configuration of 0.3', valueNear(PUSH_CONFIGS), (body) =>
      withOneScheme(legacyPushBody(body, 't-1')),
    ),
    parser('a message', valueNear(examples), (data) => readInvocation(sdkMessage({ $case: 'data', value: data }))),
    parser('a pasted message', jsonNear(examples), (text) =>
      readInvocation(sdkMessage({ $case: 'text', value: text })),
    ),
    parser('plain words', textNear(['buy video ads', 'list my media buys']), (text) =>
      readPlainText(text, [...tasks.keys()]),
    ),
    ...[...tasks.values()].map(({ name, input, examples: all }) =>
      parser(`the input of ${name}`, valueNear(all.map((example) => example.input)), (value) => {
        fittingParts(input, value);
        return parseInput(input, value);
      }),
    ),
    ...endpoints.flatMap(({ id, params, query, body }) =>
      Object.entries({ params, query, body }).flatMap(([place, schema]) =>
        schema === undefined
          ? []
          : [parser(`the ${place} of ${id}`, valueNear(REGISTRY_INPUTS), (value) => parseInput(schema, value))],
      ),
    ),
    ...operations.flatMap(({ path, params, query, body }) =>
      Object.entries({ params, query, body }).flatMap(([place, schema]) =>
        schema === undefined
          ? []
          : [
              parser(`the ${place} of ${path}`, valueNear(OPERATOR_INPUTS), (value) =>
                parseInput<unknown>(schema, value),
              ),
            ],
      ),
    ),
    parser('a ring', valueNear([{ media_buy_id: 'mb_1' }]), (value) => inputOf(RingEvent, value, 'body')),
    parser('a form', textNear(['grant_type=authorization_code&code=a%20b', 'a=1&a=2']), (text) =>
      parseForm(Buffer.from(text)),
    ),
    parser('a redirect URI', textNear(['http://127.0.0.1:99999/cb', 'com.example.app:/cb']), (uri) => [
      redirectUriProblem(uri),
      isRegisteredUri(['http://127.0.0.1/cb'], uri),
    ]),
    parser('cookies', headerText, (header) => [
      cookieFrom(header),
      sessionFrom(header, true),
      sessionFrom(header, false),
    ]),
    parser('a domain', textNear(['https://www.Bücher.example:80/x?y#z', 'm.a.co.uk.']), (text) => {
      const host = normalizeHost(text);
      return [normalizeDomain(text), host && withParents(host)];
    }),
    parser('the URL of an agent', textNear(['https://a.example/a2a/', 'https://[::1]:1/']), (url) =>
      canonicalAgentUrl(url),
    ),
    parser('an address', textNear(['2001:db8::1', '::ffff:192.0.2.1', 'fe80::1%eth0']), (address) =>
      addressKey(address),
    ),
    parser('a publisher’s adagents.json', valueNear(AD_AGENTS), (json) => readAdAgents(json, NOW)),
    parser('a publisher’s ads.txt', textNear([ADS_TXT]), (text) => parseAdsTxt(Buffer.from(text))),
    parser('an ad system’s sellers.json', bytesNear([SELLERS_JSON]), (bytes) =>
      parseSellersJson(Buffer.from(bytes), { isCut: bytes.length % 2 === 0 }),
    ),
    parser('a signature of an event', textNear(['t=1767225600,v1=00ff,v1=']), (header) => {
      verifyEvent(Buffer.from('{}'), header, 'secret', NOW);
    }),
    parser('Retry-After', textNear(['120', 'Wed, 21 Oct 2026 07:28:00 GMT']), (header) => retryAfterMs(header, NOW)),
    parser('a cursor', textNear([Buffer.from('["x",["a","b"]]').toString('base64url')]), (cursor) =>
      decodeCursor({}, cursor),
    ),
    ...[A2AService, LegacyA2AService].flatMap((service, generation) =>
      Object.entries(decodingSafely(service)).map(([method, { requestDeserialize }]) =>
        parser(`gRPC ${generation === 0 ? '1.0' : '0.3'} ${method}`, bytesNear(messages), (bytes) => {
          checkDecoded(requestDeserialize(Buffer.from(bytes)));
        }),
      ),
    ),
  ];
}

const PUSH_CONFIGS = [
  {
    taskId: 't-1',
    pushNotificationConfig: { url: 'https://a.example/', authentication: { schemes: ['Bearer', 'HMAC-SHA256'] } },
  },
  { parent: 'tasks/t-1', configId: 'c', config: { name: 'tasks/t-1/x', push_notification_config: { url: 'x' } } },
];
const REGISTRY_INPUTS = [
  {
    domains: ['a.example', 'www.b.example'],
    domain: 'a.example',
    scope: 'all',
    url: 'https://a.example/',
    cursor: 'x',
    limit: '5',
  },
  {
    organization_name: 'A',
    is_personal: false,
    role: 'member',
    name: 'key',
    scopes: ['tasks:read'],
    visibility: 'public',
    type: 'sales',
  },
  {
    price_id: 'p',
    org_id: 'o',
    encodedUrl: 'https%3A%2F%2Fa.example',
    version: '3.1',
    operation_id: 'op',
    authentication: { schemes: ['Bearer'] },
  },
];
const OPERATOR_INPUTS = [
  {
    reason: 'because',
    cursor: 'x',
    limit: '5',
    state: 'failed',
    organization_id: 'org_1',
    destination: 'https://a.example',
    from: '2026-01-01T00:00:00Z',
  },
  {
    digest: 'x',
    media_buy_id: 'mb',
    creative_id: 'c',
    decision: 'approve',
    property_id: 'p',
    domain: 'a.example',
    outage: true,
  },
];
const ADS_TXT =
  '\ufeffssp.example, pub-1, DIRECT, f08c ; x # y\r\nMANAGERDOMAIN=m.example,DE #noagents\nCONTACT=a@b.example';
const SELLERS_JSON = {
  ...{ version: '1.0', contact_email: 'a@ssp.example', identifiers: [{ name: 'TAG-ID', value: '28cb' }] },
  sellers: [
    { seller_id: 'pub-1', seller_type: 'PUBLISHER', name: 'News', domain: 'news.example' },
    { seller_id: 2, seller_type: 'BOTH', is_confidential: 1, is_passthrough: '0' },
  ],
};
const AD_AGENTS = [
  {
    authorized_agents: [{ url: 'https://a.example', authorized_for: 'display', property_ids: ['web'] }],
    properties: [
      {
        property_id: 'web',
        property_type: 'website',
        name: 'N',
        identifiers: [{ type: 'domain', value: 'a.example' }],
        tags: ['t'],
      },
    ],
  },
];

function messageOf(parts: unknown[]) {
  return { messageId: 'm', role: 'ROLE_USER', parts, metadata: { a: 1 } };
}

/** A message of one part as the SDK hands it over. */
function sdkMessage(content: object): Message {
  const part = { content, mediaType: '', filename: '', metadata: undefined };
  return {
    messageId: 'm',
    role: 1,
    parts: [part],
    contextId: '',
    taskId: '',
    extensions: [],
    referenceTaskIds: [],
  } as unknown as Message;
}
