import { afterAll, beforeAll, expect, it } from 'vitest';
import { SCOPES } from '../../src/directory/caller.ts';
import { readConfig } from '../../src/main/config/config.ts';
import { startServer } from '../../src/main/wiring/start-server.ts';
import type { StartedServer } from '../../src/main/wiring/start-server.ts';
import { TaskRuns } from '../../src/runtime/task-run.ts';
import { allEvents } from '../a2a/support/sse.ts';
import { wireClients } from '../a2a/support/wires.ts';
import { silent, testClock } from '../directory/support/installation.ts';
import { taskId } from '../support/ids.ts';
import { freePort } from '../support/free-port.ts';
import { describeOnStores } from '../support/stores.ts';
import { mediaBuyInput, post, send, taskOf } from './support/buyer.ts';
import type { Json } from './support/buyer.ts';
import { operate } from './support/operator.ts';
import { startTestAgent } from './support/test-agent.ts';
import type { TestAgent } from './support/test-agent.ts';
import { accessToken, callAsUser, loginEnv, person } from './support/user.ts';

const ADA = person('ada@acme-outdoor.com');
const BEN = person('ben@acme-outdoor.com');
/** What every process knows by then. */
const KNOWN_MS = 3_000;
/** What a key may call beside A2A, by each method; none of it changes anything. */
const CALLS: readonly (readonly [method: string, path: string, body?: Json])[] = [
  ['GET', '/api/me/agents'],
  ['PATCH', '/api/me/agents/none', { name: 'Another' }],
  ['DELETE', '/api/me/agents/none'],
  ['POST', '/api/me/agents', {}],
  ['GET', '/api/buyer/webhooks/deliveries'],
  ['POST', '/api/buyer/webhooks/deliveries/none/resend'],
  ['POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' }],
];
/** How HTTP refuses a credential. */
const REFUSED: Readonly<Record<number, string>> = { 401: 'UNAUTHORIZED', 403: 'FORBIDDEN' };
const [FIRST_KEY, SECOND_KEY] = ['the-first-value-of-the-key-8c1f2e', 'the-second-value-of-the-key-5d7a0b'];

describeOnStores('what an operator takes back, at two processes on one store, on %s', (store) => {
  const clock = testClock();
  let agent: TestAgent;
  let grpcAddress: string;
  /** Another process of the same installation, as it is started again with another BOOTSTRAP_API_KEY. */
  let other: StartedServer;
  let otherUrl: string;
  let organization_id: string;

  beforeAll(async () => {
    const GRPC_PORT = String(await freePort());
    grpcAddress = `127.0.0.1:${GRPC_PORT}`;
    const env = { ...loginEnv([ADA, BEN]), GRPC_PORT, BOOTSTRAP_API_KEY: FIRST_KEY };
    agent = await startTestAgent(store, { clock, working: false, env });
    clock.advance(1);
    const PORT = String(await freePort());
    otherUrl = `http://127.0.0.1:${PORT}`;
    const own = { ...agent.env, PORT, BOOTSTRAP_API_KEY: SECOND_KEY, GRPC_PORT: '' };
    other = await startServer(readConfig(own, { allowLoopback: true }), silent, { clock });
    const token = await accessToken(agent, ADA, { path: '/api' });
    await callAsUser(agent, token, '/api/organizations', { organization_name: 'Acme Outdoor' });
    const { buyers } = await act('GET', '/buyers');
    const found = (buyers as { name: string; organization_id: string }[]).find(({ name }) => name === 'Acme Outdoor');
    organization_id = found?.organization_id ?? '';
  });
  afterAll(async () => {
    await other.stop();
    await agent.stop();
  });

  const act = async (method: 'GET' | 'POST', path: string, body?: Json): Promise<Json> => {
    const answer = await operate(agent, method, path, body);
    expect(answer, path).toMatchObject({ status: 200 });
    return answer.body;
  };
  const newKey = async (more: Json = {}) => {
    const { key, api_key_id } = await act('POST', `/buyers/${organization_id}/keys/add`, { name: 'ours', ...more });
    return { key: String(key), api_key_id: String(api_key_id) };
  };
  /** What both processes answer to this credential. */
  const statuses = (credential: string) =>
    Promise.all(
      [agent.baseUrl, otherUrl].map(async (baseUrl) => {
        const headers = { authorization: `Bearer ${credential}`, 'a2a-version': '1.0' };
        const answer = await fetch(`${baseUrl}/a2a/rest/tasks`, { headers });
        await answer.arrayBuffer();
        return answer.status;
      }),
    );

  /** What each way in says to a key, by name: an error's code, or that it opened. */
  const waysOf = async (key: string) => {
    const wires = wireClients({ url: agent.baseUrl, grpcAddress }, key).map(async (wire) => {
      const refusal = await wire.refusal('send', { skill: 'get_products', input: { brief: 'podcasts' } });
      return [wire.name, refusal?.code ?? 'open'] as const;
    });
    const calls = CALLS.map(async ([method, path, body]) => {
      const answer = await fetch(agent.baseUrl + path, {
        method,
        headers: {
          ...{ authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          ...{ accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' },
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      await answer.arrayBuffer();
      return [`${method} ${path}`, REFUSED[answer.status] ?? 'open'] as const;
    });
    return Object.fromEntries(await Promise.all([...wires, ...calls]));
  };
  const all = (said: string, of: Record<string, string>) =>
    Object.fromEntries(Object.keys(of).map((name) => [name, said]));

  it('[S5.slot] BOOTSTRAP_API_KEY: with a new value the former key opens nothing any more', async () => {
    // The first process has met the former key before it was told.
    await statuses(FIRST_KEY);
    clock.advance(KNOWN_MS);
    expect([await statuses(FIRST_KEY), await statuses(SECOND_KEY)]).toEqual([
      [401, 401],
      [200, 200],
    ]);
  });

  it('[S5.take-back] an API key of any organization: listed, revoked, and unknown to both processes within 3 seconds', async () => {
    const { key, api_key_id } = await newKey();
    expect(await statuses(key)).toEqual([200, 200]);
    const listed = await act('GET', `/buyers/${organization_id}/keys`);
    expect(JSON.stringify(listed)).not.toContain(key);
    await act('POST', `/buyers/${organization_id}/keys/${api_key_id}/revoke`, { reason: 'it leaked' });
    clock.advance(KNOWN_MS);
    expect(await statuses(key)).toEqual([401, 401]);
    const { actions } = await act('GET', `/actions?target=/buyers/${organization_id}/keys/${api_key_id}`);
    expect(actions).toMatchObject([{ action: 'buyers.revoke_key', input: { reason: 'it leaked' }, outcome: 'done' }]);
    const elsewhere = await operate(agent, 'POST', `/buyers/org_first/keys/${api_key_id}/revoke`, { reason: 'x' });
    expect(elsewhere.status).toBe(404);
  });

  it('[R13.expiry] a key that ends by itself: open on every wire and to every method until then, closed on all of them from then on', async () => {
    const endMs = clock.now() + 60_000;
    const { key } = await newKey({ scopes: SCOPES, expires_at: new Date(endMs).toISOString() });
    const before = await waysOf(key);
    expect(before).toEqual(all('open', before));
    clock.advance(endMs - 1 - clock.now());
    expect(await waysOf(key)).toEqual(before);
    clock.advance(1);
    expect(await waysOf(key)).toEqual(all('UNAUTHORIZED', before));
    expect(await statuses(key)).toEqual([401, 401]);
  });

  it('[S5.take-back] an OAuth grant: its access tokens within 3 seconds, and all of a person with their sign-in', async () => {
    const one = await accessToken(agent, ADA, { path: '/a2a' });
    clock.advance(1);
    const two = await accessToken(agent, ADA, { path: '/a2a' });
    expect([await statuses(one), await statuses(two)]).toEqual([
      [200, 200],
      [200, 200],
    ]);
    const { grants } = await act('GET', `/grants?organization_id=${organization_id}`);
    const [newest] = grants as { grant_id: string; subject: string }[];
    const ended = await act('POST', `/grants/${newest?.grant_id ?? ''}/end`, { reason: 'a lost laptop' });
    expect(ended).toMatchObject({ revoked_because: 'revoked_by_operator' });
    clock.advance(KNOWN_MS);
    expect([await statuses(one), await statuses(two)]).toEqual([
      [200, 200],
      [401, 401],
    ]);
    const account = encodeURIComponent(newest?.subject ?? '');
    expect(await act('POST', `/accounts/${account}/end`, { reason: 'a leak' })).toMatchObject({
      grants_ended: expect.any(Number) as number,
      sessions_ended: expect.any(Number) as number,
    });
    clock.advance(KNOWN_MS);
    expect(await statuses(one)).toEqual([401, 401]);
  });

  it('[S5.streams] what they have open: streams at both processes end, each with why, and those of others go on', async () => {
    const { key, api_key_id } = await newKey();
    const token = await accessToken(agent, ADA, { path: '/a2a' });
    const mine = taskOf(await send({ ...agent, apiKey: key }, 'create_media_buy', mediaBuyInput(agent))).id;
    const others = taskOf(await send(agent, 'create_media_buy', mediaBuyInput(agent))).id;
    /** Follows a task at both processes, from when both streams stand; `last` are their last events. */
    const follow = async (credential: string, id: string, signal = new AbortController().signal) => {
      const responses = await Promise.all(
        [agent.baseUrl, otherUrl].map((baseUrl) =>
          fetch(`${baseUrl}/a2a/jsonrpc`, {
            method: 'POST',
            headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
            body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SubscribeToTask', params: { id } }),
            signal,
          }),
        ),
      );
      const last = Promise.all(responses.map(allEvents)).then((streams) => streams.map((events) => events.at(-1)));
      return { last };
    };
    const ended = (message: string) =>
      [0, 1].map(() => ({ event: 'error', data: { error: { message: expect.stringContaining(message) as string } } }));
    const leave = new AbortController();
    const [byKey, byToken] = [await follow(key, mine), await follow(token, mine)];
    const ofOthers = await follow(agent.apiKey, others, leave.signal);
    const goesOn = expect(ofOthers.last).rejects.toThrow('aborted');

    await act('POST', `/buyers/${organization_id}/keys/${api_key_id}/revoke`, { reason: 'it leaked' });
    const { grants } = await act('GET', `/grants?organization_id=${organization_id}`);
    const [newest] = grants as { grant_id: string }[];
    await act('POST', `/grants/${newest?.grant_id ?? ''}/end`, { reason: 'a lost laptop' });
    expect(await byKey.last).toMatchObject(ended('this credential has ended or was revoked'));
    expect(await byToken.last).toMatchObject(ended('this credential has ended or was revoked'));

    const bySuspended = await follow((await newKey()).key, mine);
    await act('POST', `/buyers/${organization_id}/suspend`, { reason: 'unpaid' });
    expect(await bySuspended.last).toMatchObject(ended('suspended'));
    await act('POST', `/buyers/${organization_id}/restore`);
    clock.advance(KNOWN_MS);
    leave.abort();
    await goesOn;
  });

  it('[S5.suspend] an organization: 403 on every wire by key and by token, and as before once it is restored', async () => {
    const { key } = await newKey({ scopes: SCOPES });
    const tokens = {
      a2a: await accessToken(agent, ADA, { path: '/a2a' }),
      api: await accessToken(agent, ADA, { path: '/api' }),
    };
    const paths = ['/api/me/agents', '/api/buyer/webhooks/deliveries'];
    const ways = async () => {
      const calls = paths.map(async (path) => {
        const { status } = await callAsUser(agent, tokens.api, path);
        return [`token ${path}`, REFUSED[status] ?? 'open'] as const;
      });
      const [byToken = 0] = await statuses(tokens.a2a);
      const byTokens = [...(await Promise.all(calls)), ['token at A2A', REFUSED[byToken] ?? 'open'] as const];
      return { ...(await waysOf(key)), ...Object.fromEntries(byTokens) };
    };

    const before = await ways();
    expect(Object.keys(before)).toHaveLength(6 + CALLS.length + 3);
    expect(before).toEqual(all('open', before));
    expect(await statuses(key)).toEqual([200, 200]);

    const path = `/buyers/${organization_id}`;
    const suspended = await act('POST', `${path}/suspend`, { reason: 'unpaid' });
    expect(suspended).toMatchObject({ suspension: { by: 'OPERATOR_API_KEY', reason: 'unpaid', webhooks: 'go_on' } });
    clock.advance(KNOWN_MS);
    expect(await ways()).toEqual(all('FORBIDDEN', before));
    expect(await statuses(key)).toEqual([403, 403]);
    expect((await act('GET', '/buyers?state=suspended'))['buyers']).toMatchObject([{ organization_id }]);

    expect(await act('POST', `${path}/restore`)).toMatchObject({ suspended_at: null, suspension: null });
    clock.advance(KNOWN_MS);
    expect(await ways()).toEqual(before);
    expect(await statuses(key)).toEqual([200, 200]);
  });

  it('[S5.suspend] its queued tasks wait as they are, and go on once it is restored; those of others never wait', async () => {
    const buyer = { ...agent, apiKey: (await newKey()).key };
    const sent = [
      await send(buyer, 'create_media_buy', mediaBuyInput(agent)),
      await send(agent, 'create_media_buy', mediaBuyInput(agent)),
    ];
    const [waits, others] = sent.map((answer) => taskId(taskOf(answer).id));
    if (waits === undefined || others === undefined) throw new Error('two were sent');
    const path = `/buyers/${organization_id}`;
    await act('POST', `${path}/suspend`, { reason: 'unpaid' });
    clock.advance(KNOWN_MS);

    const runs = agent.core.store.collection(TaskRuns);
    /** The turn that the row owes, as a worker of the other process takes it. */
    const take = async (task_id: typeof waits) => {
      const turn = (await runs.get(task_id))?.turn ?? -1;
      return other.core.runtime.execute({ task_id, turn }, new AbortController().signal);
    };
    const before = await runs.get(waits);
    expect(await take(waits)).toMatchObject({ parkMs: expect.any(Number) as number });
    expect(await runs.get(waits)).toEqual(before);
    expect(await take(others)).toBeUndefined();
    expect((await runs.get(others))?.events.length).toBeGreaterThan(1);

    await act('POST', `${path}/restore`);
    clock.advance(KNOWN_MS);
    expect(await take(waits)).toBeUndefined();
    const read = await post(buyer, { jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: waits } });
    expect(taskOf(read).state).not.toBe('TASK_STATE_FAILED');
    expect((await runs.get(waits))?.events.length).toBeGreaterThan(1);
  });

  it('[R8.members] a membership: at once at both processes by every token, with what was open, and applications get no more', async () => {
    const path = `/api/organizations/${organization_id}`;
    const as = {
      ada: await accessToken(agent, ADA, { path: '/api' }),
      ben: await accessToken(agent, BEN, { path: '/api' }),
    };
    const asked = (await callAsUser(agent, as.ben, `${path}/join-requests`, {})).body;
    await callAsUser(agent, as.ada, `${path}/join-requests/${String(asked['id'])}/approve`, { role: 'owner' });
    const token = await accessToken(agent, BEN, { path: '/a2a' });
    expect(await statuses(token)).toEqual([200, 200]);
    const { id } = taskOf(
      await send({ ...agent, apiKey: (await newKey()).key }, 'create_media_buy', mediaBuyInput(agent)),
    );
    const following = [agent.baseUrl, otherUrl].map((baseUrl) =>
      fetch(`${baseUrl}/a2a/jsonrpc`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SubscribeToTask', params: { id } }),
      }),
    );
    const streams = await Promise.all(following);

    const members = (await callAsUser(agent, as.ada, `${path}/members`)).body['members'] as Json[];
    const ben = members.find(({ email }) => email === 'ben@acme-outdoor.com');
    const removed = await fetch(`${agent.baseUrl}${path}/members/${String(ben?.['user_id'])}`, {
      ...{ method: 'DELETE', headers: { authorization: `Bearer ${as.ada}` } },
    });
    expect(await removed.json()).toMatchObject({ grants_ended: 1 });
    expect(await statuses(token)).toEqual([403, 403]);
    for (const baseUrl of [agent.baseUrl, otherUrl])
      expect((await callAsUser({ ...agent, baseUrl }, as.ben, `${path}/api-keys`)).status).toBe(403);
    for (const stream of streams) expect((await allEvents(stream)).at(-1)).toMatchObject({ event: 'error' });
    clock.advance(KNOWN_MS);
    expect(await statuses(token)).toEqual([401, 401]);
  });
});
