import { randomUUID } from 'node:crypto';
import { Client as ClientOf2025 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportOf2025 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADCPMultiAgentClient } from '#adcp-buyer/client';
import { a2aRoutes } from '../../src/main/wiring/a2a-routes.ts';
import { composeOAuth } from '../../src/main/wiring/oauth.ts';
import { accountOf, orderOf, packageForSale } from '../dialects/support/booking.ts';
import { schemaErrors } from '../dialects/support/public-call.ts';
import type { Json } from '../journeys/support/buyer.ts';
import { approvalOf, operate } from '../journeys/support/operator.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { LONG_MS, until } from '../support/until.ts';

/** Two servers of one installation. */
let here: TestAgent;
let there: TestAgent;

beforeAll(async () => {
  // Another process does the work.
  const answerWaitMs = LONG_MS;
  here = await startTestAgent('sqlite', { answerWaitMs, working: false, env: { APPROVAL_OVER: 'USD:50000' } });
  const { PUBLIC_URL: _named, ...env } = here.env;
  // Whoever works knows the newest address.
  there = await startTestAgent('sqlite', { env });
});
afterAll(async () => {
  await there.stop();
  await here.stop();
});

interface Tool {
  name: string;
  inputSchema: Record<string, unknown>;
  outputSchema?: unknown;
  annotations?: { readOnlyHint?: boolean };
}
interface Answer {
  structuredContent?: unknown;
  content?: unknown;
  isError?: boolean;
}
interface Connected {
  version: string | undefined;
  tools(): Promise<Tool[]>;
  call(name: string, input: Record<string, unknown>): Promise<Answer>;
  close(): Promise<void>;
}

/** What a client sends, at one server after the other. */
function byTurns() {
  const asked: string[] = [];
  const fetchByTurns = (url: string | URL, init?: RequestInit) => {
    const { baseUrl } = asked.length % 2 === 0 ? here : there;
    asked.push(baseUrl);
    return fetch(new URL(new URL(url).pathname, baseUrl), init);
  };
  const options = { requestInit: { headers: { Authorization: `Bearer ${here.apiKey}` } }, fetch: fetchByTurns };
  return { asked, url: new URL(`${here.baseUrl}/mcp`), options };
}

type Connect = (at: ReturnType<typeof byTurns>) => Promise<Connected>;

const of2025: Connect = async ({ url, options }) => {
  const client = new ClientOf2025({ name: 'buyer', version: '1' });
  const transport = new TransportOf2025(url, options);
  await client.connect(transport);
  expect(transport.sessionId).toBeUndefined();
  return {
    version: transport.protocolVersion,
    tools: async () => (await client.listTools()).tools as Tool[],
    call: (name, input) => client.callTool({ name, arguments: input }) as Promise<Answer>,
    close: () => client.close(),
  };
};

const of2026: Connect = async ({ url, options }) => {
  const client = new Client({ name: 'buyer', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new StreamableHTTPClientTransport(url, options));
  return {
    version: client.getNegotiatedProtocolVersion(),
    tools: async () => (await client.listTools()).tools as Tool[],
    call: (name, input) => client.callTool({ name, arguments: input }) as Promise<Answer>,
    close: () => client.close(),
  };
};

const textOf = ({ content }: Answer): unknown => {
  const [part, ...more] = content as { type: string; text: string }[];
  expect([part?.type, more]).toEqual(['text', []]);
  return JSON.parse(part?.text ?? '') as unknown;
};

describe.each([
  ['2025-11-25', of2025],
  ['2026-07-28', of2026],
] as const)('the official client of %s', (version, connect) => {
  it('[D9] [D9.answers] finds the tools, calls them and reads refusals, each request at another server', async () => {
    const turns = byTurns();
    const client = await connect(turns);
    expect(client.version).toBe(version);
    const names = (await client.tools()).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['get_adcp_capabilities', 'get_products', 'list_creative_formats']));

    const told = await client.call('get_adcp_capabilities', { adcp_version: '3.1', context: { trace: 't-1' } });
    expect(told.isError ?? false).toBe(false);
    expect(told.structuredContent).toMatchObject({
      status: 'completed',
      adcp_version: '3.1',
      context: { trace: 't-1' },
    });
    expect(textOf(told)).toEqual(told.structuredContent);

    const found = await client.call('get_products', { adcp_version: '3.1', buying_mode: 'brief', brief: 'video' });
    const { products } = found.structuredContent as { products: unknown[] };
    expect(products.length).toBeGreaterThan(0);

    const refused = await client.call('get_products', { adcp_version: '3.1', buying_mode: 'refine' });
    expect(refused).toMatchObject({
      isError: true,
      structuredContent: {
        status: 'failed',
        adcp_error: { code: 'INVALID_REQUEST', field: 'refine' },
        errors: [{ code: 'INVALID_REQUEST', field: 'refine' }],
      },
    });
    expect(textOf(refused)).toEqual(refused.structuredContent);

    await expect(client.call('buy_everything', {})).rejects.toMatchObject({
      code: -32602,
      data: { error: { field: 'params.name' } },
    });
    await client.close();
    expect(new Set(turns.asked).size).toBe(2);
  });

  it('[D9.answers] [D3.changes] [D3.schema] plays the whole story of a buyer, each request at another server', async () => {
    const client = await connect(byTurns());
    const account = accountOf(`mcp-${version}.example`);
    const keyed = () => ({ account, idempotency_key: randomUUID() });
    async function ask(name: string, input: Json): Promise<Json> {
      const { structuredContent: body, isError = false } = await client.call(name, { adcp_version: '3.1', ...input });
      expect([name, isError, schemaErrors(name, '3.1', body)]).toEqual([name, false, []]);
      return body as Json;
    }
    const opening = { idempotency_key: randomUUID(), accounts: [{ ...account, billing: 'operator' }] };
    expect(await ask('sync_accounts', opening)).toMatchObject({ accounts: [{ action: 'created' }] });
    expect((await ask('list_accounts', {}))['accounts']).toContainEqual(expect.objectContaining(account));

    const line = await packageForSale(here);
    const made = await ask('create_media_buy', orderOf(line, { account }));
    const { media_buy_id } = made;
    const [{ package_id }] = made['packages'] as [{ package_id: string }];
    const changed = { ...keyed(), media_buy_id, packages: [{ package_id, budget: 19_000 }] };
    expect(await ask('update_media_buy', changed)).toMatchObject({ affected_packages: [{ budget: 19_000 }] });
    // By its kind, since each of the servers names formats by its own address here.
    const format = {
      format_kind: 'image',
      format_option_ref: { scope: 'product', format_option_id: 'display_300x250' },
    };
    const image = { asset_type: 'image', url: 'https://cdn.acme.example/trail.png', width: 300, height: 250 };
    const creatives = [{ creative_id: 'banner', name: 'Banner', ...format, assets: { image } }];
    expect(await ask('sync_creatives', { ...keyed(), creatives })).toMatchObject({
      creatives: [{ action: 'created' }],
    });
    expect(await ask('list_creatives', { account })).toMatchObject({ creatives: [{ creative_id: 'banner' }] });
    const delivery = await ask('get_media_buy_delivery', { account, media_buy_ids: [media_buy_id] });
    expect(delivery).toMatchObject({ media_buy_deliveries: [{ media_buy_id }] });
    await ask('update_media_buy', { ...keyed(), media_buy_id, canceled: true });
    const read = await ask('get_media_buys', { account, media_buy_ids: [media_buy_id] });
    expect(read).toMatchObject({ media_buys: [{ media_buy_id, status: 'canceled', total_budget: 19_000 }] });

    const costly = await ask('create_media_buy', orderOf({ ...line, budget: 60_000 }, { account }));
    const { status, task_id } = costly;
    expect(status).toBe('submitted');
    const { approval_id } = await approvalOf(here, String(task_id));
    await operate(here, 'POST', `/approvals/${approval_id}/approve`, {});
    const over = await until(async () => {
      const told = await ask('get_task_status', { task_id, include_result: true });
      return told['status'] === 'completed' && told;
    });
    expect(over).toMatchObject({ result: { packages: [{ budget: 60_000 }] } });
    await client.close();
  });

  it('[D9.tools] is told every public task, all of which the card has too, each with a small schema that refers to nothing', async () => {
    const client = await connect(byTurns());
    const tools = await client.tools();
    await client.close();
    const skills = await cardSkills();
    const names = tools.map(({ name }) => name);
    expect(names).toContain('get_task_status');
    expect(names.filter((name) => !skills.includes(name))).toEqual([]);
    expect(names).toEqual((await publicSkills()).filter((name) => name !== 'tasks/get'));
    for (const { name, inputSchema, outputSchema, annotations } of tools) {
      const text = JSON.stringify(inputSchema);
      expect([name, inputSchema['type'], inputSchema['additionalProperties']]).toEqual([name, 'object', true]);
      expect(`${name} ${text.length}`).toSatisfy(() => text.length < 8_000);
      expect(text).not.toContain('$ref');
      expect(outputSchema).toBeUndefined();
      const needsKey = (inputSchema['required'] as string[] | undefined)?.includes('idempotency_key') ?? false;
      expect([name, annotations]).toEqual([name, { readOnlyHint: !needsKey, idempotentHint: true }]);
    }
  });
});

/** What a server of this installation takes in the public protocol, in the order of its list. */
async function publicSkills(): Promise<string[]> {
  const { core } = here;
  const { dialects } = await a2aRoutes(core, await composeOAuth(core), new AbortController().signal);
  return dialects.skills.map(({ skill }) => skill);
}

/** The skills of the card of A2A, as they stand there. */
async function cardSkills(): Promise<string[]> {
  const response = await fetch(`${here.baseUrl}/.well-known/agent-card.json`, { headers: { 'A2A-Version': '1.0' } });
  const { skills } = (await response.json()) as { skills: { id: string }[] };
  return skills.map(({ id }) => id);
}

/** What these tests use of the public protocol's own client. */
interface AdcpAgent {
  getAgentInfo(): Promise<{ protocol: string; tools: { name: string }[] }>;
  getProducts(request: object): Promise<AdcpAnswer>;
  executeTask(name: string, request: object): Promise<AdcpAnswer>;
}
interface AdcpAnswer {
  success: boolean;
  status: string;
  data?: Record<string, unknown>;
  adcpError?: { code: string; field?: string };
}

it('[D9.answers] the public protocol’s own client, unmodified, discovers, reads products and formats, and reads refusals', async () => {
  const agent_uri = `${here.baseUrl}/mcp`;
  const config = { id: 'seller', name: 'seller', agent_uri, protocol: 'mcp', auth_token: here.apiKey } as const;
  const buyer = new ADCPMultiAgentClient([config]);
  const agent = buyer.agent('seller') as unknown as AdcpAgent;
  const info = await agent.getAgentInfo();
  expect(info).toMatchObject({ protocol: 'mcp' });
  expect(info.tools.map(({ name }) => name)).toContain('get_adcp_capabilities');

  const brand = { domain: 'acme.example' };
  const found = await agent.getProducts({ buying_mode: 'brief', brief: 'video for runners', brand });
  expect(found).toMatchObject({ success: true, status: 'completed', data: { adcp_version: '3.0' } });
  expect((found.data?.['products'] as unknown[]).length).toBeGreaterThan(0);

  const formats = await agent.executeTask('list_creative_formats', {});
  expect(formats).toMatchObject({ success: true });
  expect((formats.data?.['formats'] as unknown[]).length).toBeGreaterThan(0);

  const refused = await agent.getProducts({ buying_mode: 'refine', brand });
  expect(refused).toMatchObject({
    success: false,
    status: 'failed',
    adcpError: { code: 'INVALID_REQUEST', field: 'refine' },
  });
});
