import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { refreshBadges } from '../../src/registry/badge/refresh-badges.ts';
import { TaskRuns } from '../../src/runtime/task-run.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import type { Json } from '../journeys/support/buyer.ts';
import { describeOnStores } from '../support/stores.ts';
import { until } from '../support/until.ts';
import { orderOf, packageForSale } from './support/booking.ts';
import { bodyOf, callPublic, RELEASES, schemaErrors } from './support/public-call.ts';
import type { ShownTask } from './support/public-call.ts';

interface Answered {
  status: number;
  challenge: string | null;
  body: Json & { result?: Json; error?: Json };
}

describeOnStores('[D6] discovery without a credential on %s', (store) => {
  let open: TestAgent;
  let agent: TestAgent;
  beforeAll(async () => {
    agent = await startTestAgent(store, { env: { ANONYMOUS_DISCOVERY: 'capabilities' } });
    open = await startTestAgent(store, {
      env: { ANONYMOUS_REQUESTS_PER_MINUTE: '40' },
    });
  });
  afterAll(async () => {
    await agent.stop();
    await open.stop();
  });

  async function rpc(
    at: TestAgent,
    path: string,
    body: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answered> {
    const response = await fetch(`${at.baseUrl}${path}`, {
      method: 'POST',
      headers: {
        ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream', 'a2a-version': '1.0' },
        ...headers,
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    const text = await response.text();
    const event = /^data: (\{.*\})$/m.exec(text)?.[1] ?? text;
    return {
      status: response.status,
      challenge: response.headers.get('www-authenticate'),
      body: (event === '' ? {} : JSON.parse(event)) as Answered['body'],
    };
  }
  const message = (skill: string, parameters: Json) => ({
    ...{ messageId: randomUUID(), role: 'ROLE_USER', parts: [{ data: { skill, parameters } }] },
  });
  const sent = (at: TestAgent, skill: string, parameters: Json, method = 'SendMessage') =>
    rpc(at, '/a2a/jsonrpc', { jsonrpc: '2.0', id: 1, method, params: { message: message(skill, parameters) } });
  const called = (at: TestAgent, name: string, input: Json) =>
    rpc(at, '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } });
  const told = ({ body }: Answered): Json => bodyOf((body.result?.['task'] ?? body.result) as ShownTask);
  const structured = ({ body }: Answered): Json => body.result?.['structuredContent'] as Json;

  it.each(RELEASES)('[D3.schema] tells in %s what it has, as far as that has words for it', async (release) => {
    const body = bodyOf(await callPublic(agent, 'get_adcp_capabilities', { adcp_version: release }));
    expect(schemaErrors('get_adcp_capabilities', release, body)).toEqual([]);
    // What a task of ours alone lists, the public protocol has here.
    const portfolio = { publisher_domains: [...agent.core.catalog.publisher_domains] };
    expect(portfolio.publisher_domains).not.toEqual([]);
    expect(body).toMatchObject({
      ...{ account: { sandbox: true }, media_buy: { portfolio } },
      request_signing: { supported: false },
    });
    const later = { propagation_surfaces: ['snapshot', 'webhook'], creative_approval_mode: 'auto_approve' };
    const told = Object.keys(body['media_buy'] as Json).filter((name) => name in later);
    expect(told.sort()).toEqual(release === '3.0' ? [] : Object.keys(later).sort());
    expect(body).toMatchObject({ media_buy: release === '3.0' ? {} : later });
  });

  it('lists no products under an account that is none of the caller’s', async () => {
    const account = { account_id: 'acc_none' };
    const error = { adcp_error: { code: 'ACCOUNT_NOT_FOUND', field: 'account.account_id' } };
    const asked = { adcp_version: '3.2', buying_mode: 'wholesale', account };
    expect(bodyOf(await callPublic(agent, 'get_products', asked))).toMatchObject(error);
    expect(bodyOf(await callPublic(agent, 'list_products', { adcp_version: '3.2', account }))).toMatchObject(error);
  });

  it('[D2.errors] names a granularity that is none by its public name, with those that there are', async () => {
    const { media_buy_id } = bodyOf(
      await callPublic(agent, 'create_media_buy', { adcp_version: '3.1', ...orderOf(await packageForSale(agent)) }),
    );
    const asked = { adcp_version: '3.1', media_buy_ids: [media_buy_id], time_granularity: 'yearly' };
    expect(bodyOf(await callPublic(agent, 'get_media_buy_delivery', asked))).toMatchObject({
      adcp_error: {
        code: 'UNSUPPORTED_GRANULARITY',
        field: 'time_granularity',
        message: expect.stringMatching(/^time_granularity:/) as unknown,
        details: { supported_granularities: expect.arrayContaining(['daily']) as unknown },
      },
    });
  });

  it('tells over A2A and MCP what it tells those with one, and keeps no task of it', async () => {
    const runs = agent.core.store.collection(TaskRuns);
    const known = bodyOf(await callPublic(agent, 'get_adcp_capabilities', { adcp_version: '3.1' }));
    const before = await runs.count({});
    for (const release of RELEASES) {
      const asked = { adcp_version: release, context: { n: 1 } };
      const answers: [Answered, Answered] = [
        await sent(agent, 'get_adcp_capabilities', asked),
        await called(agent, 'get_adcp_capabilities', asked),
      ];
      const [a2a, mcp] = [told(answers[0]), structured(answers[1])];
      expect(mcp).toEqual(a2a);
      expect(a2a).toMatchObject({ status: 'completed', context: { n: 1 }, adcp_version: release });
      expect(schemaErrors('get_adcp_capabilities', release, a2a)).toEqual([]);
      expect(a2a['adcp']).toEqual(known['adcp']);
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      for (const { challenge } of answers) expect(challenge).toMatch(/^Bearer resource_metadata="http/);
    }
    expect(await runs.count({})).toBe(before);
  });

  it('over a stream, and in the form of 0.3', async () => {
    const { body } = await sent(agent, 'get_adcp_capabilities', {}, 'SendStreamingMessage');
    expect(bodyOf((body.result as { task: ShownTask }).task)).toMatchObject({ supported_protocols: ['media_buy'] });
    const data = { kind: 'data', data: { skill: 'get_adcp_capabilities', parameters: {} } };
    const legacy = await rpc(
      agent,
      '/a2a/jsonrpc',
      {
        ...{ jsonrpc: '2.0', id: 1, method: 'message/send' },
        params: { message: { kind: 'message', messageId: randomUUID(), role: 'user', parts: [data] } },
      },
      { 'a2a-version': '0.3' },
    );
    expect(legacy.body.result).toMatchObject({ kind: 'task', status: { state: 'completed' } });
    expect(told(legacy)).toMatchObject({ supported_protocols: ['media_buy'] });
  });

  it('[R11.verified] verifies its own badge where products are told, by what is answered; and else says that a credential is asked for', async () => {
    const badgeOf = async ({ baseUrl, core }: TestAgent) => {
      await refreshBadges({ ...core, ownUrl: baseUrl }, baseUrl);
      const place = `/api/registry/agents/${encodeURIComponent(baseUrl)}/badge/media-buy/verification.json`;
      return (await (await fetch(baseUrl + place)).json()) as Json;
    };
    expect(await badgeOf(open)).toMatchObject({ verified: true, step: 'verified', proof: 'answered' });
    const closed = { verified: false, step: 'protected', proof: 'asks_for_credential', jwt: null };
    expect(await badgeOf(agent)).toMatchObject(closed);
  });

  it('refuses what is wrong with a request by its field', async () => {
    const refused = [
      await sent(agent, 'get_adcp_capabilities', { protocols: 'media_buy' }),
      await sent(agent, 'get_adcp_capabilities', { adcp_version: '9.9' }),
    ];
    expect(refused.map(told)).toMatchObject([
      { status: 'failed', adcp_error: { code: 'VALIDATION_ERROR', field: 'protocols' } },
      { status: 'failed', adcp_error: { code: 'VERSION_UNSUPPORTED' } },
    ]);
    const tool = await called(agent, 'get_adcp_capabilities', { protocols: 'media_buy' });
    expect(tool.body.result).toMatchObject({ isError: true, structuredContent: { status: 'failed' } });
  });

  it.each(RELEASES)(
    'in %s tells products and formats where the seller wants it so, and no price by any way',
    async (release) => {
      const formats = await sent(open, 'list_creative_formats', { adcp_version: release });
      expect(schemaErrors('list_creative_formats', release, told(formats))).toEqual([]);
      const asked = { adcp_version: release, buying_mode: 'wholesale' };
      const answer = told(await sent(open, 'get_products', asked));
      expect(schemaErrors('get_products', release, answer)).toEqual([]);
      const products = answer['products'] as { product_id: string; pricing_options: Json[] }[];
      const known = bodyOf(await callPublic(open, 'get_products', asked))['products'] as typeof products;
      expect(products.map(({ product_id }) => product_id)).toEqual(known.map(({ product_id }) => product_id));
      for (const { pricing_options } of products) {
        expect(pricing_options.length).toBeGreaterThan(0);
        for (const option of pricing_options) {
          expect(Object.keys(option).sort()).toEqual(['currency', 'pricing_model', 'pricing_option_id']);
        }
      }
      const filters = { budget_range: { max: 5_000, currency: 'USD' } };
      expect(told(await sent(open, 'get_products', { ...asked, filters }))).toMatchObject({
        adcp_error: { code: 'INVALID_REQUEST', field: 'filters.budget_range' },
      });
      expect(structured(await called(open, 'get_products', asked))).toEqual(answer);
    },
  );

  it('asks for a credential for all else, whatever is wrong with it', async () => {
    const a2a = (body: unknown, headers = {}) => rpc(agent, '/a2a/jsonrpc', body, headers);
    const mcp = (body: unknown, headers = {}) => rpc(agent, '/mcp', body, headers);
    const one = { jsonrpc: '2.0', id: 1 };
    const capabilities = { params: { message: message('get_adcp_capabilities', {}) } };
    const bad = { authorization: 'Bearer mk_live_unknown' };
    const answers = await Promise.all([
      sent(agent, 'get_products', { adcp_version: '3.1', buying_mode: 'wholesale' }),
      sent(agent, 'get_agent_capabilities', {}),
      sent(open, 'get_media_buys', { adcp_version: '3.1' }),
      sent(open, 'create_media_buy', { adcp_version: '3.1', idempotency_key: randomUUID() }),
      // In our own words.
      sent(open, 'get_products', { brief: 'all' }),
      a2a({ ...one, method: 'ListTasks', params: {} }),
      a2a({ ...one, method: 'NoSuchMethod' }),
      a2a({ ...one, method: 'SendMessage', params: {} }),
      a2a('no JSON'),
      a2a('{}', { 'content-type': 'text/plain' }),
      a2a(JSON.stringify({ ...one, pad: 'x'.repeat(2_000_000) })),
      a2a({ ...one, method: 'SendMessage', ...capabilities }, bad),
      a2a({ ...one, method: 'SendMessage', ...capabilities }, { 'x-adcp-auth': 'unknown' }),
      a2a({ ...one, method: 'SendMessage', ...capabilities }, { authorization: 'Basic abc' }),
      called(agent, 'get_products', { buying_mode: 'wholesale' }),
      called(agent, 'no_such_tool', {}),
      mcp({ ...one, method: 'resources/list' }),
      mcp('no JSON'),
      mcp([one]),
      mcp({ ...one, method: 'tools/call', params: { name: 'get_adcp_capabilities', arguments: {} } }, bad),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 401));
    for (const { challenge } of answers) expect(challenge).toMatch(/^Bearer/);
  });

  it('lets clients of MCP find the tools that they may call', async () => {
    const mcp = (method: string, params: Json = {}) => rpc(agent, '/mcp', { jsonrpc: '2.0', id: 1, method, params });
    const version = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
    const [begun, tools] = [await mcp('initialize', version), await mcp('tools/list')];
    expect(begun.body.result).toMatchObject({ protocolVersion: '2025-06-18' });
    expect((tools.body.result?.['tools'] as { name: string }[]).map(({ name }) => name)).toContain(
      'get_adcp_capabilities',
    );
  });

  it('is counted by address', async () => {
    // The minute of the first request may end at any of them.
    await until(async () => {
      let refused: Answered | undefined;
      for (let asked = 0; asked <= 40 && refused === undefined; asked += 1) {
        const answer = await sent(open, 'get_adcp_capabilities', {});
        if (answer.status !== 200) refused = answer;
      }
      if (refused === undefined) return false;
      expect(refused.status).toBe(429);
      expect(JSON.stringify(refused.body)).toContain('anonymous_requests');
      return (await called(open, 'get_adcp_capabilities', {})).status === 429;
    });
    // Who has a credential is not counted there.
    expect(bodyOf(await callPublic(open, 'get_adcp_capabilities', {}))).toMatchObject({ status: 'completed' });
  });
});
