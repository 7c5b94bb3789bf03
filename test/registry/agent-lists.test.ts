import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JsonObject } from '../../src/platform/json-object.ts';
import { closedPort, serveHttp } from '../platform/outbound/support/servers.ts';
import { bodyOf, cardOf, json } from './support/agents.ts';
import { startRegistry } from './support/registry.ts';
import type { Registry } from './support/registry.ts';

let at: Registry;
beforeAll(async () => {
  at = await startRegistry('sqlite');
});
afterAll(() => at.close());

const ask = (what: string, url: string) => at.get(`/api/public/agent-${what}?url=${encodeURIComponent(url)}`);

/** An agent of A2A 0.3 that answers calls with this, below its card. */
async function agentThat(
  answer: (id: unknown, input: JsonObject) => { status?: number; value: object },
): Promise<string> {
  const agent = await serveHttp((request, response) => {
    if (request.method !== 'POST') {
      const isCard = request.url === '/.well-known/agent.json';
      json(response, isCard ? cardOf('A', ['get_products'], { url: `${agent.origin}/a2a` }) : {}, isCard ? 200 : 404);
      return;
    }
    void bodyOf(request).then((body) => {
      const { id, params } = JSON.parse(body) as {
        id: unknown;
        params?: { message?: { parts: { data: { input: JsonObject } }[] } };
      };
      const { status, value } = answer(id, params?.message?.parts[0]?.data.input ?? {});
      json(response, value, request.url === '/a2a' ? status : 404);
    });
  });
  return agent.origin;
}

it('[R16.public] answers what an agent tells anybody over A2A', async () => {
  const parts = [{ kind: 'data', data: { products: [{ product_id: 'p' }] } }];
  const origin = await agentThat((id) => ({
    value: { jsonrpc: '2.0', id, result: { kind: 'task', artifacts: [{ parts }] } },
  }));
  const answer = await ask('products', origin);
  expect(answer.body).toEqual({ success: true, products: [{ product_id: 'p' }] });
  const formats = await ask('formats', origin);
  expect(formats.body).toMatchObject({ code: 'UNSUPPORTED_TASK', field: 'url' });
});

it.each([
  ['that takes a mode alone', { buying_mode: 'wholesale' }],
  ['of before, that knows no mode', {}],
])('[R16.public] asks an agent %s for all that it sells by a request that it takes', async (_, taken) => {
  const product = { products: [{ product_id: 'p' }] };
  const refused = { adcp_error: { code: 'INVALID_REQUEST', message: 'not so' } };
  const origin = await agentThat((id, input) => {
    const data = JSON.stringify(input) === JSON.stringify(taken) ? product : refused;
    return { value: { jsonrpc: '2.0', id, result: { kind: 'message', parts: [{ kind: 'data', data }] } } };
  });
  expect((await ask('products', origin)).body).toEqual({ success: true, ...product });
});

it('[R16.public] says with a code that an agent wants a credential', async () => {
  const origin = await agentThat(() => ({ status: 401, value: {} }));
  const answer = await ask('products', origin);
  expect(answer.status).toBeGreaterThanOrEqual(400);
  expect(answer.body).toMatchObject({ code: 'UNSUPPORTED_FEATURE', field: 'url' });
});

it('[R12] is 502 where nobody answers or under another id, and 400 for what is no URL', async () => {
  expect((await ask('formats', `http://127.0.0.1:${await closedPort()}`)).status).toBe(502);
  const stranger = await agentThat(() => ({ value: { jsonrpc: '2.0', id: 'x', result: { products: [] } } }));
  expect((await ask('products', stranger)).status).toBe(502);
  expect((await ask('products', 'ftp://a.example')).status).toBe(400);
});
