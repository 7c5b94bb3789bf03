import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CorsOrigins } from '../../src/platform/cors.ts';
import { openAgent } from './support/open-agent.ts';
import type { Agent } from './support/open-agent.ts';
import { TASKS } from './support/tasks.ts';

const PAGE = 'https://app.buyer.example';
const ANOTHER = 'https://app.buyer.example.evil.example';

async function ask(agent: Agent, origin: string, path: string, method = 'POST') {
  const { status, headers } = await fetch(agent.url + path, {
    method,
    headers: {
      Origin: origin,
      ...(method === 'OPTIONS'
        ? { 'Access-Control-Request-Method': 'POST', 'Access-Control-Request-Headers': 'authorization,a2a-version' }
        : { 'Content-Type': 'application/json' }),
    },
    ...(method === 'POST' && { body: '{}' }),
  });
  const told = (name: string) => headers.get(`Access-Control-${name}`);
  return {
    ...{ status, vary: headers.get('Vary') ?? '', origin: told('Allow-Origin'), methods: told('Allow-Methods') },
    ...{ headers: told('Allow-Headers'), shown: told('Expose-Headers'), credentials: told('Allow-Credentials') },
  };
}

describe.each<[string, CorsOrigins | undefined, allowed: string | null, others: string | null]>([
  ['by default', undefined, null, null],
  ['of the origins named', ['https://first.example', PAGE], PAGE, null],
  ['of all origins', '*', '*', '*'],
])('pages %s', (_whose, corsOrigins, allowed, others) => {
  let agent: Agent;
  beforeAll(async () => {
    agent = await openAgent({ tasks: TASKS, works: false, options: { corsOrigins } });
  });
  afterAll(() => agent.close());

  it.each(['/a2a/jsonrpc', '/a2a/rest/message:send'])(
    'may read what %s answers, refusals too, where they may call',
    async (path) => {
      for (const [origin, wanted] of [
        [PAGE, allowed],
        [ANOTHER, others],
        ['null', others],
      ] as const) {
        const answer = await ask(agent, origin, path);
        expect(answer).toMatchObject({ status: 401, origin: wanted, credentials: null });
        if (wanted !== null) expect(answer.shown).toContain('WWW-Authenticate, Retry-After, A2A-Extensions');
        if (Array.isArray(corsOrigins)) expect(answer.vary).toContain('Origin');
      }
    },
  );

  it('are told before they call whether they may, without a credential', async () => {
    for (const path of ['/a2a/jsonrpc', '/a2a/rest/tasks/any']) {
      const mine = await ask(agent, PAGE, path, 'OPTIONS');
      const anothers = await ask(agent, ANOTHER, path, 'OPTIONS');
      expect([mine.origin, anothers.origin]).toEqual([allowed, others]);
      if (allowed === null) continue;
      expect(mine).toMatchObject({ status: 204, methods: 'GET, POST, DELETE', credentials: null });
      expect(mine.headers).toMatch(/Authorization.*X-API-Key.*Content-Type.*A2A-Version.*A2A-Extensions/);
    }
  });

  it('may read the card in any case, also with a version header', async () => {
    const card = '/.well-known/agent-card.json';
    expect(await ask(agent, ANOTHER, card, 'GET')).toMatchObject({ status: 200, origin: '*' });
    const before = await ask(agent, ANOTHER, card, 'OPTIONS');
    expect(before).toMatchObject({ status: 204, origin: '*', methods: 'GET' });
    expect(before.headers).toContain('A2A-Version');
  });
});
