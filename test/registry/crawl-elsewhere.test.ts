import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { publishers } from '../../src/directory/publisher/publisher.ts';
import { json } from './support/agents.ts';
import { startRegistry } from './support/registry.ts';
import type { Registry } from './support/registry.ts';

const FILE = { authorized_agents: [{ url: 'https://agent.example', authorized_for: 'all' }] };
/** A name that leads nowhere. */
const OWN_ORIGIN = 'https://registry.own.example';

describe('[S2.crawls] places that publishers only point to, when somebody asks for a crawl', () => {
  let at: Registry;
  let origin = '';
  let asked: string[] = [];
  let [open, most] = [0, 0];
  /** Where the publishers' own files point; undefined: nowhere. */
  let pointed: ((name: string) => string) | undefined;
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    asked.push(path);
    if (!path.startsWith('/there/')) {
      const name = path.split('/')[2] ?? '';
      json(response, pointed === undefined ? FILE : { authoritative_location: pointed(name) });
      return;
    }
    most = Math.max(most, ++open);
    // For so long that whoever does not wait is here, too.
    setTimeout(() => {
      open -= 1;
      json(response, FILE);
    }, 20);
  });

  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    at = await startRegistry('sqlite', {
      adAgentsUrl: (domain) => `${origin}/own/${domain}/adagents.json`,
      baseUrl: () => OWN_ORIGIN,
      sizes: { pointed_files_of_domain: 8 },
    });
  });
  afterAll(async () => {
    await at.close();
    server.close();
  });
  beforeEach(() => {
    asked = [];
    [open, most] = [0, 0];
    pointed = (name) => `${origin}/there/${name}`;
  });

  const fresh = () => `e-${randomUUID()}.example`;
  const crawl = (domain: string) => at.post(`/api/registry/publishers/${domain}/crawl`);

  it('are asked for one file at a time, and for so many an hour, whoever points there; a refusal stores nothing', async () => {
    // A few at a time: whoever waits for five seconds is refused, which six might on a slow machine.
    for (const names of [Array.from({ length: 3 }, fresh), Array.from({ length: 3 }, fresh)]) {
      const answers = await Promise.all(names.map((name) => crawl(name)));
      expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200));
    }
    expect(most).toBe(1);
    for (let n = 0; n < 2; n++) expect((await at.post('/api/adagents/validate', { domain: fresh() })).status).toBe(200);
    asked = [];
    const late = fresh();
    const refused = await crawl(late);
    expect([refused.status, refused.body]).toMatchObject([429, { budget: { name: 'pointed_files_of_domain' } }]);
    expect((await at.post('/api/adagents/validate', { domain: late })).status).toBe(429);
    expect(asked.filter((path) => path.startsWith('/there/'))).toEqual([]);
    expect(await at.store.collection(publishers).get(late)).toBeUndefined();
    // Whoever has a file of their own is not among them.
    pointed = undefined;
    expect((await crawl(fresh())).status).toBe(200);
  });

  it('count nowhere where they are this registry’s own', async () => {
    pointed = (name) => `${OWN_ORIGIN}/hosted/${name}/adagents.json`;
    const answers = await Promise.all(Array.from({ length: 9 }, () => crawl(fresh())));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 9 }, () => 502));
  });
});
