import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { authorizations } from '../../src/directory/authorization/authorization.ts';
import { publishers } from '../../src/directory/publisher/publisher.ts';
import { ABSENT_MS } from '../../src/directory/scheduled-check/grace.ts';
import { findCheck, hastenCheck, scheduleCheck } from '../../src/directory/scheduled-check/scheduled-check.ts';
import { toTimestamp } from '../../src/platform/clock.ts';
import { createOutbound } from '../../src/platform/outbound/outbound-client.ts';
import { crawlPublisher } from '../../src/registry/crawl/crawl-publisher.ts';
import { sharedFiles } from '../../src/registry/crawl/shared-files.ts';
import { crawlDue } from '../../src/registry/periodic-jobs.ts';
import { silent } from '../directory/support/installation.ts';
import { describeOnStores } from '../support/stores.ts';
import { json } from './support/agents.ts';
import { startRegistry } from './support/registry.ts';
import type { Registry } from './support/registry.ts';

/** A file, where a redirect leads, or that there is nothing. */
type Said = object | string | undefined;

const FILE = { authorized_agents: [{ url: 'https://agent.example', authorized_for: 'all' }] };
const changeSignal = {
  publish: () => Promise.resolve(),
  subscribe: () => Promise.resolve(() => undefined),
  close: () => Promise.resolve(),
};

describeOnStores('[R15.scope] crawls whose second hop is another’s origin, on %s', (kind) => {
  let at: Registry;
  let port = 0;
  /** What a host answers at a path. */
  let answer: (place: string, send: (said: Said) => void) => void;
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
      if (said === undefined) response.writeHead(404).end();
      else if (typeof said === 'string') response.writeHead(302, { location: said }).end();
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
    for (const name of names) {
      await scheduleCheck(at, 'adagents', `${name}.example`);
      await hastenCheck(at, 'adagents', `${name}.example`);
    }
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

  /** All point to one file, which `file` answers. */
  const pointing = (to: string, file: () => Said) => {
    answer = (place, send) => {
      send(place.endsWith('/own') ? { authoritative_location: `${originOf(to)}/file` } : file());
    };
  };
  const entriesOf = async (name: string) => {
    const where = { publisher_domain: `${name}.example` };
    return (await at.store.collection(authorizations).find({ where, limit: 10 })).rows;
  };
  const crawlOf = async (name: string) => (await at.store.collection(publishers).get(`${name}.example`))?.crawl;

  it.each(['small', 'large'])('fetches a %s file once a round for all who point to it', async (size) => {
    const names = Array.from({ length: 6 }, (_, n) => `${size}-${n}`);
    const filler = Array.from({ length: size === 'large' ? 1100 : 0 }, () => 'x'.repeat(1000));
    pointing(`${size}-file`, () => ({ ...FILE, filler }));
    const gets = () => asked.filter((place) => place === `${size}-file/file`).length;
    const read = await run(names);
    for (const name of names) expect(read.get(name)).toBe(`${originOf(`${size}-file`)}/file`);
    // What turns out to be large is asked for anew, in a place for such.
    const once = size === 'large' ? 2 : 1;
    expect(gets()).toBe(once);
    at.clock.advance(3_600_000);
    await run(names);
    expect(gets()).toBe(2 * once);
    const states = await Promise.all(names.map(crawlOf));
    for (const state of states) expect(state?.started_at).toBe(toTimestamp(at.clock.now()));
  });

  it('says of a shared file when it was fetched, and fetches anew for who was looked at since', async () => {
    const file = (name: string) => ({ authorized_agents: [{ url: `https://${name}.example`, authorized_for: 'all' }] });
    const fetchedAt = at.clock.now();
    const deps = {
      ...{ ...at, changeSignal, outbound },
      adAgentsUrl: (domain: string) => `${originOf(domain.replace('.example', ''))}/own`,
    };
    const files = sharedFiles(at.clock);
    pointing('aging', () => file('old'));
    await crawlPublisher(deps, 'first.example', undefined, { files });
    at.clock.advance(60_000);
    pointing('aging', () => file('new'));
    await crawlPublisher(deps, 'later.example', undefined, {});
    await crawlPublisher(deps, 'other.example', undefined, { files });
    expect(await entriesOf('other')).toMatchObject([
      { agent_url: 'https://old.example', seen_at: toTimestamp(fetchedAt) },
    ]);
    expect((await crawlOf('other'))?.started_at).toBe(toTimestamp(fetchedAt));
    const before = asked.length;
    for (const name of ['later', 'other']) await crawlPublisher(deps, `${name}.example`, undefined, { files });
    // For the first of them; that is the newest for the other, too.
    expect(asked.slice(before)).toEqual(['later/own', 'aging/file', 'other/own']);
    for (const name of ['later', 'other'])
      expect(await entriesOf(name)).toMatchObject([{ agent_url: 'https://new.example' }]);
    at.clock.advance(300_000);
    await crawlPublisher(deps, 'fresh.example', undefined, { files });
    expect(asked.at(-1)).toBe('aging/file');
  });

  it('ends what a shared file said a day after it is gone, for all who point to it and each by a look of its own', async () => {
    const names = [0, 1, 2].map((n) => `gone-${n}`);
    const gets = () => asked.filter((place) => place === 'gone-file/file').length;
    const counts = () => Promise.all(names.map(async (name) => (await entriesOf(name)).length));
    let said: Said = FILE;
    pointing('gone-file', () => said);
    await run(names);
    expect([gets(), await counts()]).toEqual([1, [1, 1, 1]]);
    said = undefined;
    at.clock.advance(3_600_000);
    await run(names);
    expect([gets(), await counts()]).toEqual([1 + names.length, [1, 1, 1]]);
    for (const name of names) {
      const check = await findCheck(at, 'adagents', `${name}.example`);
      expect(check?.last_error).toBe('authoritative_location: answered 404');
      expect(check?.absent_since).toBe(toTimestamp(at.clock.now()));
    }
    at.clock.advance(ABSENT_MS + 1);
    await run(names);
    expect(await counts()).toEqual([0, 0, 0]);
  });

  it.each([
    ['a redirect', () => `${originOf('else')}/file`],
    ['what is no such file', () => ({})],
  ])('asks for each publisher where there is %s', async (what, said) => {
    const names = [0, 1, 2].map((n) => `fails-${what.replaceAll(' ', '-')}-${n}`);
    pointing('failing', said);
    const read = await run(names);
    expect([...read.values()].filter((url) => url !== undefined)).toEqual([]);
    expect(asked.filter((place) => place === 'failing/file')).toHaveLength(names.length);
  });
});

it('[R15.scope] keeps so many bytes of shared files, the newest of them, and none that is larger', () => {
  const files = sharedFiles({ now: () => 1000 }, 10);
  const keep = (url: string, length: number) => {
    files.keep(url, { body: Buffer.alloc(length), fetchedMs: 1000 });
  };
  const kept = () => ['a', 'b', 'c', 'd'].filter((url) => files.find(url) !== undefined);
  keep('a', 4);
  keep('b', 4);
  keep('b', 6);
  expect(kept()).toEqual(['a', 'b']);
  keep('c', 3);
  expect(kept()).toEqual(['b', 'c']);
  keep('d', 11);
  expect(kept()).toEqual(['b', 'c']);
});
