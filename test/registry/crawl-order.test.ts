import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { authorizations } from '../../src/directory/authorization/authorization.ts';
import { publishers } from '../../src/directory/publisher/publisher.ts';
import { findCheck } from '../../src/directory/scheduled-check/scheduled-check.ts';
import { createOutbound } from '../../src/platform/outbound/outbound-client.ts';
import type { Outbound } from '../../src/platform/outbound/outbound-client.ts';
import type { Store } from '../../src/platform/store/collection.ts';
import { crawlPublisher } from '../../src/registry/crawl/crawl-publisher.ts';
import { COLLECTIONS } from '../../src/main/wiring/collections.ts';
import { installation } from '../directory/support/installation.ts';
import type { Installation } from '../directory/support/installation.ts';
import { describeOnStores } from '../support/stores.ts';
import { withStoreHooks } from '../support/store-hooks.ts';
import { serveHttp } from '../platform/outbound/support/servers.ts';
import { json } from './support/agents.ts';

const HOUR_MS = 3_600_000;
const changeSignal = {
  publish: () => Promise.resolve(),
  subscribe: () => Promise.resolve(() => undefined),
  close: () => Promise.resolve(),
};
const agentUrls = (...names: string[]) => names.map((name) => `https://${name}.example`);
const fileOf = (urls: readonly string[], more: object = {}) => ({
  authorized_agents: urls.map((url) => ({ url, authorized_for: 'all of it' })),
  ...more,
});

describeOnStores('taking over what a crawl found on %s', (kind) => {
  let at: Installation;
  let outbound: Outbound;
  let domain = '';
  let origin = '';
  let answer: (response: ServerResponse, path: string) => void;

  beforeAll(async () => {
    at = await installation(COLLECTIONS, kind);
    outbound = createOutbound({ allowLoopback: true });
  });
  afterAll(async () => {
    await outbound.close();
    await at.close();
  });
  beforeEach(async () => {
    domain = `p-${randomUUID()}.example`;
    ({ origin } = await serveHttp((request, response) => {
      answer(response, request.url ?? '');
    }));
  });

  const says = (file: object) => {
    answer = (response) => {
      json(response, file);
    };
  };
  const crawl = (store: Store = at.store) =>
    crawlPublisher(
      {
        ...at,
        store,
        changeSignal,
        outbound,
        probeMs: 60_000,
        adAgentsUrl: () => `${origin}/.well-known/adagents.json`,
      },
      domain,
    );
  /** A look by another process that has asked for the file, and is not answered yet. */
  const begunLook = async () => {
    let slow: ReturnType<typeof crawl> | undefined;
    const other = await at.another();
    const late = await new Promise<ServerResponse>((resolve) => {
      answer = resolve;
      slow = crawl(other);
    });
    return { slow, late };
  };
  const held = async () => {
    const { rows } = await at.store
      .collection(authorizations)
      .find({ where: { publisher_domain: domain }, limit: 1000 });
    return [...new Set(rows.map((row) => row.agent_url))].sort();
  };
  const publisher = () => at.store.collection(publishers).get(domain);

  it('[R15.scope] never lets an older look overwrite a newer one, from whichever process it comes', async () => {
    const { slow, late } = await begunLook();
    at.clock.advance(1);
    says(fileOf(agentUrls('new')));
    expect((await crawl()).kind).toBe('read');
    json(late, fileOf(agentUrls('old')));
    await slow;
    expect(await held()).toEqual(agentUrls('new'));
    const check = await findCheck(at, 'adagents', domain);
    expect(check?.last_tried_at).toBe((await publisher())?.crawl?.started_at);
  });

  it('[R15.scope] lets an older failure end nothing that a newer look found', async () => {
    says(fileOf(agentUrls('first')));
    await crawl();
    at.clock.advance(8 * 24 * HOUR_MS);
    const { slow, late } = await begunLook();
    at.clock.advance(1);
    says(fileOf(agentUrls('first', 'second')));
    await crawl();
    late.writeHead(500).end();
    await slow;
    expect(await held()).toEqual(agentUrls('first', 'second'));
    expect(await findCheck(at, 'adagents', domain)).toMatchObject({ last_error: null, failures: 0 });
  });

  it('[R15.scope] goes on after a clock was set back', async () => {
    says(fileOf(agentUrls('ahead')));
    at.clock.advance(48 * HOUR_MS);
    await crawl();
    at.clock.advance(-48 * HOUR_MS);
    says(fileOf(agentUrls('now')));
    await crawl();
    expect(await held()).toEqual(agentUrls('now'));
  });

  it('[R15.scope] is of each agent either old or new after a process died at any write, and whole after the next look', async () => {
    for (let n = 1, isAlive = false; !isAlive; n++) {
      domain = `p-${randomUUID()}.example`;
      says(fileOf(agentUrls('gone', 'kept')));
      await crawl();
      at.clock.advance(1000);
      says(fileOf(agentUrls('kept', 'new')));
      let writes = 0;
      // From its n-th write on nothing of this process reaches the store, and it lets go of nothing.
      const dying = withStoreHooks(at.store, {
        before: () => (++writes >= n ? Promise.reject(new Error('killed')) : undefined),
      });
      isAlive = await crawl(dying).then(
        () => true,
        () => false,
      );
      const left = await held();
      expect(left).toEqual(expect.arrayContaining(agentUrls('kept')));
      const isWhole = left.length === 2;
      // A worker looks again soon, by itself: its claim and its place have run out by then.
      at.clock.advance(130_000);
      const due = (await findCheck(at, 'adagents', domain))?.due_at ?? '';
      if (!isWhole) expect(Date.parse(due)).toBeLessThanOrEqual(at.clock.now());
      await crawl();
      expect(await held()).toEqual(agentUrls('kept', 'new'));
    }
  });

  it('[R15.scope] believes a file that is gone for a day, and no longer', async () => {
    says(fileOf(agentUrls('a')));
    await crawl();
    const isGone = (response: ServerResponse) => response.writeHead(404).end();
    answer = isGone;
    await crawl();
    at.clock.advance(23 * HOUR_MS);
    answer = (response) => response.writeHead(503).end();
    await crawl();
    answer = isGone;
    await crawl();
    expect(await held()).toEqual(agentUrls('a'));
    // The look that ends it is due when the day is over, however often it has failed.
    const due = Date.parse((await findCheck(at, 'adagents', domain))?.due_at ?? '');
    expect(due).toBeLessThanOrEqual(at.clock.now() + HOUR_MS);
    at.clock.advance(HOUR_MS);
    await crawl();
    expect(await held()).toEqual([]);
    expect(await publisher()).toMatchObject({ verified: false });
  });

  it('[R15.scope] believes what a file points to for a day after that is gone, and asks no ads.txt who manages it', async () => {
    const asked: string[] = [];
    let there: (response: ServerResponse) => void = (response) => {
      json(response, fileOf(agentUrls('a')));
    };
    answer = (response, path) => {
      asked.push(path);
      if (path === '/there') there(response);
      else json(response, { authoritative_location: `${origin}/there` });
    };
    await crawl();
    there = (response) => response.writeHead(410).end();
    await crawl();
    at.clock.advance(23 * HOUR_MS);
    await crawl();
    expect(await held()).toEqual(agentUrls('a'));
    at.clock.advance(HOUR_MS);
    expect(await crawl()).toMatchObject({ reason: 'authoritative_location: answered 410' });
    expect(await held()).toEqual([]);
    expect(await publisher()).toMatchObject({ verified: false, manager_domain: null });
    expect(asked).not.toContain('/ads.txt');
  });

  it('[R15.scope] begins the day anew when the file was there in between', async () => {
    const file = fileOf(agentUrls('a'));
    says(file);
    await crawl();
    for (let day = 0; day < 3; day++) {
      answer = (response) => response.writeHead(410).end();
      await crawl();
      at.clock.advance(23 * HOUR_MS);
      says(file);
      await crawl();
      at.clock.advance(2 * HOUR_MS);
    }
    expect(await held()).toEqual(agentUrls('a'));
  });

  it('[R15.scope] remembers whom ads.txt names as manager while there is no file, and looks at that one too', async () => {
    const manager = `m-${randomUUID()}.example`;
    answer = (response, path) => {
      if (path === '/ads.txt') response.end(`MANAGERDOMAIN=${manager}\n`);
      else response.writeHead(404).end();
    };
    expect(await crawl()).toMatchObject({ kind: 'failed', reason: expect.stringContaining(manager) as string });
    expect(await publisher()).toMatchObject({ manager_domain: manager, verified: false });
    expect(await findCheck(at, 'adagents', manager)).toMatchObject({ last_tried_at: null });
    at.clock.advance(1000);
    answer = (response) => response.writeHead(503).end();
    await crawl();
    expect((await publisher())?.manager_domain).toBe(manager);
    says(fileOf(agentUrls('a')));
    await crawl();
    expect((await publisher())?.manager_domain).toBeNull();
  });

  it.each([
    ['404', [404]],
    ['404 and then 503', [404, 404, 503]],
  ])(
    '[R15.scope] a manager counts for seven days after ads.txt could last be read, beside %s',
    async (_what, statuses) => {
      const manager = `m-${randomUUID()}.example`;
      let isReadable = true;
      let status = 404;
      answer = (response, path) => {
        if (path !== '/ads.txt') response.writeHead(status).end();
        else if (isReadable) response.end(`MANAGERDOMAIN=${manager}\n`);
        else response.writeHead(403).end();
      };
      const ofDays = async (days: number) => {
        const known: unknown[] = [];
        for (let day = 0; day < days; day++) {
          at.clock.advance(24 * HOUR_MS);
          status = statuses[day % statuses.length] ?? 404;
          await crawl();
          known.push((await publisher())?.manager_domain);
        }
        return known;
      };
      await crawl();
      expect(await ofDays(3)).toEqual([manager, manager, manager]);
      status = 404;
      await crawl();
      isReadable = false;
      expect(await ofDays(8)).toEqual([...Array.from({ length: 6 }, () => manager), null, null]);
      isReadable = true;
      status = 404;
      await crawl();
      expect((await publisher())?.manager_domain).toBe(manager);
    },
  );

  it('[R15.scope] remembers nothing of a domain that has neither file nor manager', async () => {
    answer = (response) => response.writeHead(404).end();
    await crawl();
    expect([await publisher(), await findCheck(at, 'adagents', domain)]).toEqual([undefined, undefined]);
  });

  it('[R15.scope] takes over another authoritative location once it has stood for a day', async () => {
    let pointer = '/x';
    answer = (response, path) => {
      if (path === '/x' || path === '/y' || path === '/z') json(response, fileOf(agentUrls(path.slice(1))));
      else json(response, { authoritative_location: `${origin}${pointer}` });
    };
    await crawl();
    expect(await held()).toEqual(agentUrls('x'));
    pointer = '/y';
    expect(await crawl()).toMatchObject({ kind: 'failed', reason: expect.stringContaining('24 hours') as string });
    at.clock.advance(23 * HOUR_MS);
    pointer = '/z';
    await crawl();
    at.clock.advance(23 * HOUR_MS);
    await crawl();
    expect(await held()).toEqual(agentUrls('x'));
    at.clock.advance(HOUR_MS);
    expect((await crawl()).kind).toBe('read');
    expect(await held()).toEqual(agentUrls('z'));
  });

  it('[R15.scope] takes no file that says it is older than the one before', async () => {
    const hoursAgo = (hours: number) => new Date(at.clock.now() - hours * HOUR_MS).toISOString();
    says(fileOf(agentUrls('new'), { last_updated: hoursAgo(1) }));
    await crawl();
    says(fileOf(agentUrls('old'), { last_updated: hoursAgo(30) }));
    expect(await crawl()).toMatchObject({ kind: 'failed', reason: expect.stringContaining('older') as string });
    expect(await held()).toEqual(agentUrls('new'));
    // A date to come is nobody's, and bars nothing.
    says(fileOf(agentUrls('next'), { last_updated: hoursAgo(-1000) }));
    await crawl();
    says(fileOf(agentUrls('last'), { last_updated: hoursAgo(0) }));
    await crawl();
    expect(await held()).toEqual(agentUrls('last'));
  });
});
