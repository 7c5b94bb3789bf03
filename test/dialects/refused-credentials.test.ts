import { LegacyA2AService } from '@a2a-js/sdk/compat/v0_3/server/grpc';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADCPMultiAgentClient, extractAdcpErrorFromTransport } from '#adcp-buyer/client';
import { openAgent } from '../a2a/support/open-agent.ts';
import type { Agent } from '../a2a/support/open-agent.ts';
import { grpcCaller } from '../a2a/support/raw-grpc.ts';
import { TASKS } from '../a2a/support/tasks.ts';
import type { Json } from '../journeys/support/buyer.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { describeOnStores } from '../support/stores.ts';
import { RELEASES } from './support/public-call.ts';
import type { Release } from './support/public-call.ts';

type Headers = Readonly<Record<string, string>>;

const MISSING = { code: 'AUTH_MISSING', recovery: 'correctable' };
const REJECTED = { code: 'AUTH_INVALID', recovery: 'terminal' };
/** What may be wrong with the credential of a request, and what a 401 then says. */
const WRONG: [string, Headers, typeof MISSING][] = [
  ['no credential', {}, MISSING],
  ['an unknown key', { authorization: 'Bearer mk_live_unknown' }, REJECTED],
  ['a key that is none, in the header of the protocol', { 'x-adcp-auth': 'unknown' }, REJECTED],
  ['another scheme', { authorization: 'Basic abc' }, REJECTED],
  ['a token that nobody has issued', { authorization: 'Bearer eyJhbGciOiJFUzI1NiJ9.e30.c2ln' }, REJECTED],
  ['two credentials', { authorization: 'Bearer one', 'x-adcp-auth': 'two' }, REJECTED],
];

interface Refusal {
  status: number;
  /** The error of JSON-RPC, or the body of an error over HTTP+JSON. */
  error: Json & { data?: unknown };
}

async function refusal(url: string, body: unknown, headers: Headers): Promise<Refusal> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify(body),
  });
  const told = (await response.json()) as Json;
  return { status: response.status, error: (told['error'] ?? told) as Refusal['error'] };
}

const calling = (skill: string, parameters: Json) => ({
  params: { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ data: { skill, parameters } }] } },
});
const own = { error: { code: 'UNAUTHORIZED', recovery: 'correctable' } };

describe('[D2.credentials] a 401 over A2A', () => {
  let at: Agent;
  beforeAll(async () => {
    at = await openAgent({ tasks: TASKS, grpc: true });
  });
  afterAll(() => at.close());

  it.each(WRONG)('tells who sends %s what it is, beside the agent’s own words', async (_, headers, told) => {
    const both = { ...own, adcp_error: told };
    const rpc = { jsonrpc: '2.0', id: 1 };
    const [rpc10, rpc03, rest10, rest03] = await Promise.all([
      refusal(
        `${at.url}/a2a/jsonrpc`,
        { ...rpc, method: 'ListTasks', params: {} },
        { 'a2a-version': '1.0', ...headers },
      ),
      refusal(`${at.url}/a2a/jsonrpc`, { ...rpc, method: 'tasks/get', params: { id: 'x' } }, headers),
      refusal(`${at.url}/a2a/rest/message:send`, {}, headers),
      refusal(`${at.url}/a2a/rest/v1/message:send`, {}, headers),
    ]);
    expect([rpc10, rpc03, rest10, rest03].map(({ status }) => status)).toEqual([401, 401, 401, 401]);
    const facts = { code: 'UNAUTHORIZED', adcp_error_code: told.code, adcp_error_recovery: told.recovery };
    // Over 1.0 each detail has its type, and the reason is what clients of A2A alone read.
    const details = [{ reason: 'UNAUTHORIZED', metadata: facts }, both];
    expect(rpc10.error.data).toMatchObject(details);
    expect(rest10.error['details']).toMatchObject(details);
    expect([rpc03.error.data, rest03.error.data]).toMatchObject([both, both]);
  });

  it('tells it over gRPC among the facts of the error', async () => {
    const port = Number(at.grpcAddress.split(':')[1]);
    for (const [service, request] of [
      [A2AService, { tenant: '', id: 'x' }],
      [LegacyA2AService, { name: 'tasks/x', historyLength: 0 }],
    ] as const) {
      const client = grpcCaller(service, port, 'mk_live_unknown');
      const refused = await client.call('getTask', request);
      client.close();
      const [details] = refused?.metadata.get('grpc-status-details-bin') ?? [];
      const text = (details as Buffer).toString('latin1');
      for (const fact of ['UNAUTHORIZED', 'adcp_error_code', 'AUTH_INVALID', 'adcp_error_recovery', 'terminal']) {
        expect(text).toContain(fact);
      }
    }
  });
});

describeOnStores('[D2.credentials] a 401 of the whole agent on %s', (store) => {
  let at: TestAgent;
  let ownWords: TestAgent;
  beforeAll(async () => {
    at = await startTestAgent(store);
    ownWords = await startTestAgent(store, { env: { MCP_TASKS: 'contract' } });
  });
  afterAll(async () => {
    await at.stop();
    await ownWords.stop();
  });

  const mcp = (of: TestAgent, input: Json, headers: Headers = {}) =>
    refusal(
      `${of.baseUrl}/mcp`,
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_media_buys', arguments: input } },
      headers,
    );
  const a2a = (input: Json, headers: Headers = {}) =>
    refusal(
      `${at.baseUrl}/a2a/jsonrpc`,
      { jsonrpc: '2.0', id: 1, method: 'SendMessage', ...calling('get_media_buys', input) },
      { 'a2a-version': '1.0', ...headers },
    );

  it.each(WRONG)('tells over MCP who sends %s what it is', async (_, headers, told) => {
    const { status, error } = await mcp(at, { adcp_version: '3.2' }, headers);
    expect([status, error.data]).toMatchObject([401, { ...own, adcp_error: told }]);
    expect((error.data as { adcp_error: Json }).adcp_error).toEqual({ ...told, message: error['message'] });
  });

  it.each(RELEASES)('is in the words of %s for who sends no credential with a call of it', async (release: Release) => {
    const told = release === '3.0' ? { ...MISSING, code: 'AUTH_REQUIRED' } : MISSING;
    const [overMcp, overA2a] = await Promise.all([mcp(at, { adcp_version: release }), a2a({ adcp_version: release })]);
    expect([overMcp.status, overMcp.error.data]).toMatchObject([401, { ...own, adcp_error: told }]);
    expect([overA2a.status, overA2a.error.data]).toMatchObject([401, [{}, { ...own, adcp_error: told }]]);
  });

  it('is in those of the newest release where the call has not been read, being of a credential that is not good', async () => {
    for (const { error } of [
      await mcp(at, { adcp_version: '3.0' }, { authorization: 'Bearer none' }),
      await a2a({ adcp_version: '3.0' }, { authorization: 'Bearer none' }),
    ]) {
      expect([error.data].flat().at(-1)).toMatchObject({ ...own, adcp_error: REJECTED });
    }
  });

  it('says nothing more than before over MCP to callers in the agent’s own words', async () => {
    for (const [, headers] of WRONG) {
      const { status, error } = await mcp(ownWords, {}, headers);
      expect([status, error.data]).toEqual([401, { error: { ...own.error, message: error['message'] } }]);
    }
  });

  it('is read by the public client of release 3.0, as it is, with what to do about it', async () => {
    const { error } = await mcp(at, {}, { authorization: 'Bearer none' });
    expect(extractAdcpErrorFromTransport(error)).toMatchObject(REJECTED);
    for (const protocol of ['a2a', 'mcp'] as const) {
      const agent_uri = protocol === 'mcp' ? `${at.baseUrl}/mcp` : at.baseUrl;
      const config = { id: 'us', name: 'us', agent_uri, protocol, auth_token: 'mk_live_unknown' };
      const asked = new ADCPMultiAgentClient([config]).agent('us').getMediaBuys({ media_buy_ids: ['x'] });
      await expect(
        asked.then(({ success, error: text }) => (success ? 'answered' : Promise.reject(new Error(text)))),
      ).rejects.toThrow(/401|nauthorized|uthenticat|credential/);
    }
  });
});
