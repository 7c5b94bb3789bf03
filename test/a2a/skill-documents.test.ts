import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openAgent } from './support/open-agent.ts';
import type { Agent } from './support/open-agent.ts';
import { TASKS } from './support/tasks.ts';

const CALLING = { message: 'One data part.', schemas: { input: 'https://agent.example/schemas/{skill}/input.json' } };

let agent: Agent;
beforeAll(async () => {
  agent = await openAgent({ tasks: TASKS, options: { calling: CALLING } });
});
afterAll(() => agent.close());

interface Listed {
  skills: { id: string; scope: string; scope_lets: string; input: string; output: string }[];
}

async function listed(): Promise<Listed['skills']> {
  return ((await (await fetch(`${agent.url}/schemas`)).json()) as Listed).skills;
}

describe('the schemas of the skills', () => {
  it('are served to anybody, each at the address it names itself by', async () => {
    const skills = await listed();
    expect(skills.map(({ id }) => id)).toEqual(TASKS.map(({ name }) => name));
    for (const { input, output } of skills) {
      for (const url of [input, output]) {
        const response = await fetch(url);
        expect([url, response.status, response.headers.get('content-type')]).toEqual([
          url,
          200,
          'application/schema+json',
        ]);
        expect(await response.json()).toMatchObject({
          $schema: 'https://json-schema.org/draft/2020-12/schema',
          $id: url,
        });
      }
    }
  });

  it('say which scope a skill needs, in the words of the consent page', async () => {
    const [echo] = await listed();
    expect(echo).toMatchObject({ scope: 'tasks:read', scope_lets: 'see products, media buys, tasks and delivery' });
  });

  it('are not sent again to who has them, and to HEAD only their head', async () => {
    const url = `${agent.url}/schemas/echo/input.json`;
    const headers = { 'Accept-Encoding': 'identity' };
    const first = await fetch(url, { headers });
    const etag = first.headers.get('etag') ?? '';
    const again = await fetch(url, { headers: { ...headers, 'If-None-Match': etag } });
    expect([etag.startsWith('"'), again.status, await again.text()]).toEqual([true, 304, '']);
    const head = await fetch(url, { method: 'HEAD', headers });
    expect([head.status, head.headers.get('etag'), await head.text()]).toEqual([200, etag, '']);
    expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(await first.text())));
  });

  it('that do not exist are not found by name', async () => {
    const missing = async (path: string) => {
      const response = await fetch(`${agent.url}/schemas/${path}`);
      return [response.status, ((await response.json()) as { error: string }).error];
    };
    expect(await missing('ecko/input.json')).toEqual([
      404,
      'no skill is called "ecko"; there are echo, build, paint, wait',
    ]);
    expect((await missing('%/input.json'))[0]).toBe(404);
    expect(await missing('echo/inputs.json')).toEqual([404, 'the schemas of echo are input.json and output.json']);
  });
});

describe('the page about the skills', () => {
  it('is where the card says, and shows every skill with its examples and schemas', async () => {
    const card = (await (await fetch(`${agent.url}/.well-known/agent-card.json`)).json()) as {
      documentationUrl: string;
    };
    expect(card.documentationUrl).toBe(`${agent.url}/docs/agent`);
    const response = await fetch(card.documentationUrl);
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    const page = await response.text();
    expect(page).toContain(CALLING.message);
    for (const { name } of TASKS) {
      expect(page).toContain(`<section id="${name}">`);
      expect(page).toContain(`/schemas/${name}/output.json`);
    }
    expect(page).not.toMatch(/<script|javascript:/i);
  });
});

describe('the card', () => {
  it('says how the skills are called, what each needs, and what it takes and answers', async () => {
    const response = await fetch(`${agent.url}/.well-known/agent-card.json`, { headers: { 'A2A-Version': '1.0' } });
    const card = (await response.json()) as {
      capabilities: { extensions: { description: string; params: object }[] };
      skills: { description: string; inputModes: string[]; outputModes: string[]; securityRequirements: object[] }[];
    };
    const [extension] = card.capabilities.extensions;
    expect(extension?.description).toContain(CALLING.message);
    expect(extension?.params).toMatchObject({ calling: CALLING });
    expect(card.skills[0]).toMatchObject({
      description: 'Echo. Says it again. Needs the scope tasks:read: see products, media buys, tasks and delivery.',
      inputModes: ['application/json'],
      outputModes: ['application/json', 'text/plain'],
    });
    expect(card.skills[0]?.securityRequirements).toEqual([{ schemes: { bearer: {} } }, { schemes: { api_key: {} } }]);
  });
});
