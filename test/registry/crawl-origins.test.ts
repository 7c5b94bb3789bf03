import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { publishers } from '../../src/directory/publisher/publisher.ts';
import { scheduleCheck } from '../../src/directory/scheduled-check/scheduled-check.ts';
import { createOutbound } from '../../src/platform/outbound/outbound-client.ts';
import { crawlDue } from '../../src/registry/periodic-jobs.ts';
import { silent } from '../directory/support/installation.ts';
import { describeOnStores } from '../support/stores.ts';
import { json } from './support/agents.ts';
import { startRegistry } from './support/registry.ts';
import type { Registry } from './support/registry.ts';

const FILE = { authorized_agents: [{ url: 'https://agent.example', authorized_for: 'all' }] };
const changeSignal = {
  publish: () => Promise.resolve(),
  subscribe: () => Promise.resolve(() => undefined),
  close: () => Promise.resolve(),
};

describeOnStores('[R15.scope] crawls whose second hop is another’s origin, on %s', (kind) => {
  let at: Registry;
  let port = 0;
  /** What a host answers at a path: a file, or where a redirect leads. */
  let answer: (place: string, send: (said: object | string) => void) => void;
  /** Requests that a host has and has not answered, and the most there were. */
  let open: Map<string, number>;
  let most: Map<string, number>;
  let asked: string[];
  const outbound = createOutbound({
    allowLoopback: true,
    resolve: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]),
  });
  const server = createServer((request: IncomingMessage, response) => {
    const host = (request.headers.host ?? '').split('.localhost')[0] ?? '';
    open.set(host, (open.get(host) ?? 0) + 1);
    most.set(host, Math.max(most.get(host) ?? 0, open.get(host) ?? 0));
    asked.push(`${host}${request.url ?? ''}`);
    answer(`${host}${request.url ?? ''}`, (said) => {
      // Before the client can know of it.
      open.set(host, (open.get(host) ?? 0) - 1);
      if (typeof said === 'string') response.writeHead(302, { location: said }).end();
      else json(response, said);
    });
  });
  beforeAll(async () => {
    at = await startRegistry(kind);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    ({ port } = server.address() as AddressInfo);
  });
  afterAll(async () => {
    await outbound.close();
    server.close();
    await at.close();
  });
  beforeEach(() => {
    open = new Map();
    most = new Map();
    asked = [];
  });

  const originOf = (host: string) => `http://${host}.localhost:${port}`;
  const run = async (names: string[]) => {
    for (const name of names) await scheduleCheck(at, 'adagents', `${name}.example`);
    const adAgentsUrl = (domain: string) => `${originOf(domain.replace('.example', ''))}/own`;
    await crawlDue({ ...at, log: silent, changeSignal, outbound, adAgentsUrl, probeMs: 120_000 });
    const rows = await at.store.collection(publishers).getMany(names.map((name) => `${name}.example`));
    return new Map(rows.map((row) => [row.publisher_domain.replace('.example', ''), row.crawl?.source_url]));
  };

  it('asks an origin one thing at a time, whoever leads there, and lets nobody else wait for those who wait', async () => {
    // As many as there are places: were these taken by those who wait, nobody else would be asked.
    const pointing = Array.from({ length: 64 }, (_, n) => `points-${n}`);
    const other = Array.from({ length: 8 }, (_, n) => `other-${n}`);
    const held: (() => void)[] = [];
    const seen = new Set<string>();
    answer = (place, send) => {
      const [host = '', path = ''] = place.split('/');
      if (path === 'own') seen.add(host);
      if (host.startsWith('points-')) send({ authoritative_location: `${originOf('shared')}/${host}` });
      else if (host !== 'shared') send(FILE);
      else
        held.push(() => {
          send(FILE);
        });
      // Until all others have been asked, the shared one answers nothing.
      if (seen.size === pointing.length + other.length) for (const go of held.splice(0)) go();
    };
    const read = await run([...pointing, ...other]);
    for (const name of pointing) expect(read.get(name)).toBe(`${originOf('shared')}/${name}`);
    for (const name of other) expect(read.get(name)).toBe(`${originOf(name)}/own`);
    expect([...new Set(most.values())]).toEqual([1]);
    expect(asked.filter((place) => place.startsWith('shared/'))).toHaveLength(pointing.length);
  });

  it('ends where two lead to each other’s origin, and counts where a redirect leads', async () => {
    const first: (() => void)[] = [];
    answer = (place, send) => {
      const lead = (there: string) => {
        first.push(() => {
          send({ authoritative_location: `${originOf(there)}/there` });
        });
        // Each has the origin that the other wants.
        if (first.length === 2) for (const go of first) go();
      };
      if (place === 'left/own') lead('right');
      else if (place === 'right/own') lead('left');
      else if (place === 'moved/own') send(`${originOf('www.moved')}/there`);
      else if (place === 'leads/own') send({ authoritative_location: `${originOf('www.moved')}/there` });
      else send(FILE);
    };
    const read = await run(['left', 'right', 'moved', 'leads']);
    expect(Object.fromEntries(read)).toEqual({
      left: `${originOf('right')}/there`,
      right: `${originOf('left')}/there`,
      moved: `${originOf('www.moved')}/there`,
      leads: `${originOf('www.moved')}/there`,
    });
    expect([...new Set(most.values())]).toEqual([1]);
  });
});
