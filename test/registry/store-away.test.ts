import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { StoreUnavailableError } from '../../src/platform/store/collection.ts';
import type { Collection, Row, Store } from '../../src/platform/store/collection.ts';
import { PATIENCE } from '../../src/registry/http/store-watch.ts';
import { startRegistry } from './support/registry.ts';
import type { Registry } from './support/registry.ts';

/** What the store's calls wait for; undefined while it answers. */
let held: Promise<void> | undefined;
let letGo: () => void = () => undefined;
/** What its pings wait for besides, and how many there were. */
let isPingHeld = false;
let pings = 0;
let reads = 0;
let onPing: () => void = () => undefined;
let onCall: () => void = () => undefined;
/** What its calls throw once they have waited. */
let fault: Error | undefined;

function hold(also: 'and its pings' | 'but not its pings'): void {
  held = new Promise((resolve) => {
    letGo = resolve;
  });
  isPingHeld = also === 'and its pings';
}

function release(): void {
  letGo();
  held = undefined;
  isPingHeld = false;
}

function holding(store: Store): Store {
  const waiting = <R extends Row>(collection: Collection<R>): Collection<R> =>
    new Proxy(collection, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        return async (...args: unknown[]) => {
          reads += 1;
          onCall();
          await held;
          if (fault !== undefined) throw fault;
          return (value as (...given: unknown[]) => unknown).apply(target, args);
        };
      },
    });
  return {
    ...store,
    collection: (spec) => waiting(store.collection(spec)),
    async ping() {
      pings += 1;
      onPing();
      if (isPingHeld) await held;
    },
  };
}

let at: Registry;
beforeAll(async () => {
  at = await startRegistry('sqlite', { wrapStore: holding, storePatience: { waitMs: 1, pingMs: 1 } });
});
afterEach(() => {
  onPing = () => undefined;
  onCall = () => undefined;
  fault = undefined;
  release();
});
afterAll(() => at.close());

const agent = encodeURIComponent('https://agent.example');
const CALLS: [string, () => ReturnType<Registry['get']>][] = [
  ['a badge', () => at.get(`/api/registry/agents/${agent}/badge/media-buy/embed`)],
  ['a picture', () => at.get(`/api/registry/agents/${agent}/badge/media-buy/3.1.svg`)],
  ['an operator', () => at.get('/api/registry/operator?domain=acme.example')],
  ['publishers', () => at.post('/api/properties/resolve/bulk', { domains: ['a.example'] })],
  ['a list of domains', () => at.post('/api/properties/check', { domains: ['a.example'] })],
  ['the feed', () => at.get('/api/registry/feed')],
];

describe('while the store does not answer', () => {
  it.each(CALLS)(
    '[R11] [R11.away] asking for %s is 503 with Retry-After, without waiting for the store, and never a verdict',
    async (_, call) => {
      hold('and its pings');
      const answer = await call();
      expect(answer.status).toBe(503);
      expect(answer.headers['retry-after']).toBe('5');
      expect(answer.headers['cache-control']).toBe('no-store');
      expect(answer.body).toMatchObject({ error: expect.stringContaining('cannot reach its store') as string });
      release();
      expect((await call()).status).toBe(200);
    },
  );

  it('[R11.away] nothing is begun for who comes then: the store hears of nobody but the one who asks whether it is back', async () => {
    hold('and its pings');
    expect((await CALLS[0]?.[1]())?.status).toBe(503);
    const before = reads;
    expect(new Set(await Promise.all(CALLS.map(async ([, call]) => (await call()).status)))).toEqual(new Set([503]));
    expect(reads).toBe(before);
    release();
    for (const [, call] of CALLS) expect((await call()).status).toBe(200);
  });
});

it('[R11.away] in earnest a caller waits less than 3 seconds in all', () => {
  expect(PATIENCE.waitMs + PATIENCE.pingMs).toBeLessThan(3_000);
});

it('[R11.away] a store that is slow and answers is waited for, however long it takes', async () => {
  await CALLS[0]?.[1]();
  hold('but not its pings');
  const before = pings;
  onPing = () => {
    if (pings > before + 3) release();
  };
  for (const [, call] of CALLS) {
    hold('but not its pings');
    expect((await call()).status).toBe(200);
  }
});

describe('[R11.away] a write', () => {
  async function founding(name: string) {
    const authorization = `Bearer ${await at.token({ sub: name, email: `${name}@${name}.example`, email_verified: true })}`;
    const body = { organization_name: name, corporate_domain: `${name}.example`, company_type: 'brand' };
    return () => at.post('/api/organizations', body).set('authorization', authorization);
  }

  it('is not begun while the store does not answer, and is 503 with Retry-After', async () => {
    const found = await founding('early');
    hold('and its pings');
    const before = reads;
    for (const answer of [await found(), ...(await Promise.all([found(), found()]))]) {
      expect(answer.status).toBe(503);
      expect(answer.headers['retry-after']).toBe('5');
    }
    expect(reads).toBe(before);
    release();
    expect((await found()).status).toBe(201);
  });

  it('whose caller was told so before it began is not done afterwards', async () => {
    const { organization_id } = await at.organization({
      ...{ corporate_domain: 'late.example', domain_verified_by: 'email' },
    });
    const authorization = `Bearer ${await at.apiKey(organization_id)}`;
    const add = () =>
      at.post('/api/me/agents', { url: 'https://late.example', type: 'sales' }).set('authorization', authorization);
    // It goes away while the key is looked up.
    onCall = () => {
      onCall = () => undefined;
      hold('and its pings');
    };
    expect((await add()).status).toBe(503);
    release();
    expect((await add()).status).toBe(201);
  });

  it('that has begun is waited for, and told as it went', async () => {
    const found = await founding('begun');
    const begun = new Promise<void>((resolve) => {
      onCall = () => {
        hold('and its pings');
        onCall = () => undefined;
        resolve();
      };
    });
    const answer = found().then(({ status }) => status);
    await begun;
    // The store is known to be away by now.
    expect((await CALLS[0]?.[1]())?.status).toBe(503);
    release();
    expect(await answer).toBe(201);
  });

  it('that has begun when the store gives up is 503, and the answer says that it may have been done', async () => {
    const found = await founding('unsure');
    fault = new StoreUnavailableError('a test', undefined);
    const answer = await found();
    expect(answer.status).toBe(503);
    expect(answer.body).toMatchObject({ error: expect.stringContaining('may have been done') as string });
  });
});
