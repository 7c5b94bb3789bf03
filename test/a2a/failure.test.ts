import * as sdkErrors from '@a2a-js/sdk/errors';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { newCall } from '../../src/a2a/call.ts';
import { A2A_REASONS, failureOf, WIRE_ERRORS } from '../../src/a2a/failure.ts';
import { failureBehind } from '../../src/a2a/jsonrpc-error.ts';
import { grpcStatus } from '../../src/a2a/grpc-status.ts';
import { StoreUnavailableError } from '../../src/platform/store/collection.ts';
import { refusalOf } from '../../src/platform/problem.ts';
import { AppError, ERROR_RECOVERY } from '../../src/platform/errors.ts';
import type { ErrorCode } from '../../src/platform/errors.ts';
import { inlineTask } from '../../src/runtime/task-definition.ts';
import { organizationId } from '../support/ids.ts';
import { openAgent } from './support/open-agent.ts';
import type { Agent } from './support/open-agent.ts';
import { wireClients } from './support/wires.ts';
import type { WireClient } from './support/wires.ts';

/** What each code is on JSON-RPC, HTTP and gRPC. */
const EXPECTED: readonly (readonly [ErrorCode, rpc: number, http: number, grpc: number])[] = [
  ['INVALID_REQUEST', -32602, 400, 3],
  ['VALIDATION_ERROR', -32602, 422, 3],
  ['VERSION_UNSUPPORTED', -32602, 422, 3],
  ['ACCOUNT_NOT_FOUND', -32602, 404, 5],
  ['ACCOUNT_SETUP_REQUIRED', -32602, 409, 9],
  ['ACCOUNT_PAYMENT_REQUIRED', -32602, 409, 9],
  ['ACCOUNT_SUSPENDED', -32602, 403, 7],
  ['TERMS_REJECTED', -32602, 422, 3],
  ['CONFLICTING_SELECTORS', -32602, 422, 3],
  ['UNAUTHORIZED', -32600, 401, 16],
  ['FORBIDDEN', -32600, 403, 7],
  ['NOT_FOUND', -32602, 404, 5],
  ['TASK_NOT_FOUND', -32001, 404, 5],
  ['PRODUCT_NOT_FOUND', -32602, 404, 5],
  ['PRICING_OPTION_NOT_FOUND', -32602, 404, 5],
  ['FORMAT_NOT_FOUND', -32602, 404, 5],
  ['MEDIA_BUY_NOT_FOUND', -32602, 404, 5],
  ['PACKAGE_NOT_FOUND', -32602, 404, 5],
  ['CREATIVE_NOT_FOUND', -32602, 404, 5],
  ['PROPOSAL_NOT_FOUND', -32602, 404, 5],
  ['CONFLICT', -32602, 409, 9],
  ['IDEMPOTENCY_CONFLICT', -32602, 409, 9],
  ['IDEMPOTENCY_EXPIRED', -32602, 409, 9],
  ['IDEMPOTENCY_IN_FLIGHT', -32602, 409, 9],
  ['INVALID_STATE', -32004, 400, 12],
  ['CURSOR_EXPIRED', -32602, 410, 11],
  ['NOT_CANCELLABLE', -32002, 400, 9],
  ['BUDGET_EXCEEDED', -32602, 422, 3],
  ['BUDGET_TOO_LOW', -32602, 422, 3],
  ['UNSUPPORTED_GRANULARITY', -32602, 400, 3],
  ['UNSUPPORTED_FEATURE', -32602, 400, 3],
  ['CREATIVE_IN_USE', -32602, 409, 9],
  ['APPROVAL_REJECTED', -32602, 409, 9],
  ['AD_SERVER_REJECTED', -32602, 409, 9],
  ['UNSUPPORTED_TASK', -32602, 404, 5],
  ['ADDRESS_REFUSED', -32602, 400, 3],
  ['PAYLOAD_TOO_LARGE', -32600, 413, 3],
  ['UNSUPPORTED_MEDIA_TYPE', -32005, 400, 3],
  ['RATE_LIMITED', -32603, 429, 8],
  ['TIMEOUT', -32603, 504, 4],
  ['SERVICE_UNAVAILABLE', -32603, 503, 14],
  ['INTERNAL_ERROR', -32603, 500, 13],
];

/** Refuses with the code that it is asked for. */
const refuse = inlineTask({
  name: 'refuse',
  title: 'Refuse',
  description: 'Refuses as asked.',
  tags: [],
  examples: [],
  scope: 'tasks:read',
  input: z.strictObject({ code: z.string() }),
  output: z.unknown(),
  answer({ code }) {
    if (code === 'fault') throw new Error('secret text in /etc/passwd');
    const wrong = (path: PropertyKey[]) => ({ code: 'INVALID_REQUEST' as const, path, message: 'is wrong' });
    if (code === 'many') throw refusalOf([wrong(['a', 0]), wrong(['b', 'c'])]);
    if (code === 'long') throw refusalOf([wrong(['k'.repeat(9000)]), wrong(['ü'.repeat(9000)])]);
    if (code === 'long text') throw new AppError('CONFLICT', 'ü'.repeat(9000), { field: 'code' });
    if (code === 'very many') throw refusalOf(Array.from({ length: 500 }, (_, i) => wrong(['a', i, 'x'.repeat(200)])));
    if (code === 'store') throw new StoreUnavailableError('mongodb://user:password@10.0.0.1', undefined);
    throw new AppError(code as ErrorCode, 'refused as asked', { field: 'code', retry_after: 7 });
  },
});

let agent: Agent;
let wires: WireClient[];
beforeAll(async () => {
  agent = await openAgent({ tasks: [refuse], grpc: true });
  wires = wireClients(agent, await agent.newKey());
});
afterAll(() => agent.close());

describe('our own errors', () => {
  it('are all in the table', () => {
    expect(EXPECTED.map(([code]) => code).sort()).toEqual(Object.keys(ERROR_RECOVERY).sort());
    expect(Object.keys(WIRE_ERRORS).sort()).toEqual(Object.keys(ERROR_RECOVERY).sort());
  });

  it.each(EXPECTED)(
    '[B12] %s is %i in JSON-RPC, %i in HTTP and %i in gRPC, in both generations',
    async (code, ...at) => {
      const [rpc, http, grpc] = at;
      for (const wire of wires) {
        const refusal = await wire.refusal('send', { skill: 'refuse', input: { code } });
        const status = { JSONRPC: rpc, 'HTTP+JSON': http, GRPC: grpc }[wire.binding];
        expect({ wire: wire.name, ...refusal }).toMatchObject({ wire: wire.name, code, status, retryAfter: '7' });
      }
    },
  );

  it('[B12.details] name every problem as google.rpc.BadRequest beside ErrorInfo, over HTTP+JSON and gRPC', async () => {
    const asks = [
      { code: 'many', at: ['a[0]', 'b.c'] },
      { code: 'CONFLICT', at: ['code'] },
    ];
    for (const wire of wires.filter(({ name }) => name === 'HTTP+JSON 1.0' || name.startsWith('gRPC'))) {
      for (const { code, at } of asks) {
        const refusal = await wire.refusal('send', { skill: 'refuse', input: { code } });
        const found = (refusal?.text ?? '').split('google.rpc.BadRequest')[1] ?? '';
        expect([wire.name, ...at.filter((field) => found.includes(field))]).toEqual([wire.name, ...at]);
        expect(refusal?.text).toContain('google.rpc.ErrorInfo');
      }
      const fault = await wire.refusal('send', { skill: 'refuse', input: { code: 'fault' } });
      expect(fault?.text).not.toContain('google.rpc.BadRequest');
    }
  });

  it.each(['UNAUTHORIZED', 'FORBIDDEN', 'RATE_LIMITED', 'TIMEOUT', 'SERVICE_UNAVAILABLE'])(
    '[B12] %s has no reason of A2A, which would tell of the request or of a fault',
    async (code) => {
      for (const wire of wires.filter(({ name }) => name.endsWith('1.0') || name.startsWith('gRPC'))) {
        const { text = '' } = (await wire.refusal('send', { skill: 'refuse', input: { code } })) ?? {};
        expect([wire.name, text.includes('media-buy-agent')]).toEqual([wire.name, true]);
        expect(text).not.toMatch(/a2a-protocol\.org|INVALID_REQUEST|INVALID_PARAMS|INTERNAL_ERROR/);
      }
    },
  );

  it('[B12.details] tell over gRPC no more than fits the trailers that clients take', async () => {
    for (const wire of wires.filter(({ binding }) => binding === 'GRPC')) {
      const refusal = await wire.refusal('send', { skill: 'refuse', input: { code: 'very many' } });
      expect(refusal).toMatchObject({ code: 'INVALID_REQUEST' });
      expect(refusal?.text.length).toBeLessThan(6000);
    }
  });

  it('[B12.details] repeat no more than 64 characters of a key, and a message of a kibibyte, on any wire', async () => {
    for (const wire of wires) {
      const long = (await wire.refusal('send', { skill: 'refuse', input: { code: 'long' } }))?.text ?? '';
      expect([wire.name, long.includes('k'.repeat(64)), long.includes('k'.repeat(65))]).toEqual([
        wire.name,
        true,
        false,
      ]);
      const cut = (await wire.refusal('send', { skill: 'refuse', input: { code: 'long text' } })) ?? { text: '' };
      expect(cut).toMatchObject({ code: 'CONFLICT' });
    }
    const { message } = failureOf(new AppError('CONFLICT', 'ü'.repeat(9000)));
    expect([Buffer.byteLength(message) <= 1024, message.includes('\uFFFD'), message.at(-1)]).toEqual([
      true,
      false,
      '…',
    ]);
  });

  it.each([
    ['fault', 'INTERNAL_ERROR', -32603, 500, 13],
    ['store', 'SERVICE_UNAVAILABLE', -32603, 503, 14],
  ])('tell nothing of what was behind a %s', async (kind, code, rpc, http, grpc) => {
    for (const wire of wires) {
      const refusal = await wire.refusal('send', { skill: 'refuse', input: { code: kind } });
      expect(refusal).toMatchObject({ code, status: { JSONRPC: rpc, 'HTTP+JSON': http, GRPC: grpc }[wire.binding] });
      expect(refusal?.text).not.toMatch(/secret|passwd|mongodb/);
    }
  });
});

/** A2A 1.0 section 5.4. */
const SDK_ERRORS = [
  ['TaskNotFoundError', 'TASK_NOT_FOUND', -32001, 404, 5],
  ['TaskNotCancelableError', 'TASK_NOT_CANCELABLE', -32002, 400, 9],
  ['PushNotificationNotSupportedError', 'PUSH_NOTIFICATION_NOT_SUPPORTED', -32003, 400, 12],
  ['UnsupportedOperationError', 'UNSUPPORTED_OPERATION', -32004, 400, 12],
  ['ContentTypeNotSupportedError', 'CONTENT_TYPE_NOT_SUPPORTED', -32005, 400, 3],
  ['InvalidAgentResponseError', 'INVALID_AGENT_RESPONSE', -32006, 500, 13],
  ['ExtendedAgentCardNotConfiguredError', 'EXTENDED_AGENT_CARD_NOT_CONFIGURED', -32007, 400, 9],
  ['ExtensionSupportRequiredError', 'EXTENSION_SUPPORT_REQUIRED', -32008, 400, 9],
  ['VersionNotSupportedError', 'VERSION_NOT_SUPPORTED', -32009, 400, 12],
  ['RequestMalformedError', 'INVALID_PARAMS', -32602, 400, 3],
] as const;

describe('the SDK’s errors', () => {
  it('are all in the table', () => {
    const exported = Object.keys(sdkErrors).filter(
      (name) => name.endsWith('Error') && !/^(A2A|JsonRpc|Rest|is|to)/.test(name),
    );
    expect(exported.sort()).toEqual(SDK_ERRORS.map(([name]) => name).sort());
  });

  it.each(SDK_ERRORS)('%s is %s', (name, reason, rpc, http, grpc) => {
    const call = newCall({
      caller: { organization_id: organizationId('o'), principal_id: 'p', scopes: [] },
      wire: '1.0',
      binding: 'JSONRPC',
      signal: () => new AbortController().signal,
    });
    const failure = failureOf(failureBehind(call, new sdkErrors[name]('as it is')));
    expect(failure).toMatchObject({ reason, status: http });
    expect(A2A_REASONS[failure.reason]).toBe(rpc);
    expect(grpcStatus(failure)).toBe(grpc);
  });
});
