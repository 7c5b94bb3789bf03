import { describe, expect, it } from 'vitest';
import { agentKeys } from '#receiver';
import type { AgentKeysOptions, FetchJson, Jwk } from '#receiver';
import { ED25519, ES256 } from './craft.ts';

const AGENT = 'https://sales.example/a2a';
const BRAND = 'https://sales.example/.well-known/brand.json';
const JWKS = 'https://keys.example/jwks.json';
const PUBLISHER = 'https://publisher.example/.well-known/adagents.json';

/** Documents by URL, and how often each was asked for; a document may be an error. */
function web(documents: Record<string, unknown>) {
  const asked: string[] = [];
  const fetchJson: FetchJson = (url) => {
    asked.push(url);
    const json = documents[url];
    if (json instanceof Error) return Promise.reject(json);
    return Promise.resolve(json === undefined ? { status: 404, json: undefined } : { status: 200, json });
  };
  return { asked, fetchJson, documents };
}

function usualWeb() {
  return web({
    [BRAND]: { agents: [{ type: 'sales', url: AGENT, jwks_uri: JWKS }] },
    [JWKS]: { keys: [ED25519.publicJwk] },
  });
}

function open(given: ReturnType<typeof web>, options: Partial<AgentKeysOptions> = {}) {
  const clock = { now: 1_000_000_000_000 };
  const keys = agentKeys({ agentUrl: AGENT, fetchJson: given.fetchJson, now: () => clock.now, ...options });
  /** The key; undefined where there is none, or none can be had now. */
  const find = async (keyid: string): Promise<Jwk | undefined> => {
    const found = await Promise.resolve(keys(keyid)).catch(() => undefined);
    return found !== undefined && 'jwk' in found ? found.jwk : undefined;
  };
  return { clock, keys, find };
}

describe('agentKeys', () => {
  it('[W12] finds a key through brand.json and jwks_uri, and names the agent as its sender', async () => {
    const given = usualWeb();
    expect(await open(given).keys('key-1')).toEqual({ jwk: ED25519.publicJwk, sender: AGENT });
    expect(given.asked).toEqual([BRAND, JWKS]);
  });

  it('looks for keys at the agent’s own origin when brand.json does not say where', async () => {
    const given = web({
      [BRAND]: { agents: [{ url: AGENT }] },
      'https://sales.example/.well-known/jwks.json': { keys: [ED25519.publicJwk] },
    });
    expect(await open(given).find('key-1')).toEqual(ED25519.publicJwk);
  });

  it('follows one authoritative_location, and no second', async () => {
    const [one, two] = ['https://a.example/brand.json', 'https://b.example/brand.json'];
    const agents = [{ url: AGENT, jwks_uri: JWKS }];
    const keys = { [JWKS]: { keys: [ED25519.publicJwk] } };
    const once = web({ ...keys, [BRAND]: { authoritative_location: one }, [one]: { agents } });
    expect(await open(once).find('key-1')).toBeDefined();
    const twice = web({
      ...keys,
      [BRAND]: { authoritative_location: one },
      [one]: { authoritative_location: two },
      [two]: { agents },
    });
    expect(await open(twice).find('key-1')).toBeUndefined();
  });

  it.each([
    ['another agent', [{ url: 'https://sales.example/a2b', jwks_uri: JWKS }]],
    [
      'the agent twice',
      [
        { url: AGENT, jwks_uri: JWKS },
        { url: AGENT, jwks_uri: JWKS },
      ],
    ],
    ['no list', { url: AGENT }],
    ['nonsense', [null, 5, 'x']],
  ])('knows no key when brand.json lists %s', async (_what, agents) => {
    const given = usualWeb();
    given.documents[BRAND] = { agents };
    expect(await open(given).find('key-1')).toBeUndefined();
  });

  it.each([undefined, new Error('down'), null, [], 'text', { keys: 'none' }, { keys: [null, 5] }])(
    'knows no key, and does not throw, when the key set is %j',
    async (jwks) => {
      const given = usualWeb();
      given.documents[JWKS] = jwks;
      expect(await open(given).find('key-1')).toBeUndefined();
    },
  );

  it('fetches once for all callers and keeps what it has for the cache time', async () => {
    const given = usualWeb();
    const { clock, find } = open(given, { cacheSeconds: 100 });
    expect(await Promise.all(Array.from({ length: 20 }, () => find('key-1')))).toEqual(
      Array(20).fill(ED25519.publicJwk),
    );
    clock.now += 100_000;
    await find('key-1');
    expect(given.asked).toHaveLength(2);
    clock.now += 1;
    await find('key-1');
    expect(given.asked).toHaveLength(4);
  });

  it.each([
    [1, 60_000],
    [100_000, 900_000],
  ])('bounds the cache time: %i s are %i ms', async (cacheSeconds, ms) => {
    const given = usualWeb();
    const { clock, find } = open(given, { cacheSeconds });
    await find('key-1');
    clock.now += ms;
    await find('key-1');
    expect(given.asked).toHaveLength(2);
    clock.now += 1;
    await find('key-1');
    expect(given.asked).toHaveLength(4);
  });

  it('[W12] fetches again at once for an unknown key, then not for 30 s', async () => {
    const given = usualWeb();
    const { clock, find } = open(given);
    await find('key-1');
    clock.now += 1;
    expect(await find('key-2')).toBeUndefined();
    expect(given.asked).toHaveLength(4);
    given.documents[JWKS] = { keys: [ED25519.publicJwk, ES256.publicJwk] };
    clock.now += 29_999;
    expect(await find('key-2')).toBeUndefined();
    expect(given.asked).toHaveLength(4);
    clock.now += 1;
    expect(await find('key-2')).toEqual(ES256.publicJwk);
    expect(given.asked).toHaveLength(6);
  });

  it('[W12] fetches again once for many unknown keys at once', async () => {
    const given = usualWeb();
    const { clock, find } = open(given);
    await find('key-1');
    given.documents[JWKS] = { keys: [ES256.publicJwk] };
    clock.now += 1;
    const found = await Promise.all(Array.from({ length: 20 }, () => find('key-2')));
    expect(found).toEqual(Array(20).fill(ES256.publicJwk));
    expect(given.asked).toHaveLength(4);
  });

  it('drops a key that is no longer published when it fetches again', async () => {
    const given = usualWeb();
    const { clock, find } = open(given);
    await find('key-1');
    given.documents[JWKS] = { keys: [] };
    clock.now += 300_001;
    expect(await find('key-1')).toBeUndefined();
  });

  it('goes on with what it has while fetching fails, for the stale time', async () => {
    const given = usualWeb();
    const { clock, find } = open(given, { cacheSeconds: 300, staleSeconds: 600 });
    await find('key-1');
    given.documents[JWKS] = new Error('down');
    clock.now += 900_000;
    expect(await find('key-1')).toEqual(ED25519.publicJwk);
    clock.now += 5_000;
    expect(await find('key-1')).toBeUndefined();
    given.documents[JWKS] = { keys: [ED25519.publicJwk] };
    clock.now += 5_000;
    expect(await find('key-1')).toEqual(ED25519.publicJwk);
  });

  it('asks a sender that is down no more than once in five seconds', async () => {
    const given = web({});
    const { clock, find } = open(given);
    for (let i = 0; i < 50; i += 1) {
      await find('key-1');
      clock.now += 100;
    }
    // One for the first caller, one for the first unknown key after it.
    expect(given.asked).toHaveLength(2);
    clock.now += 100;
    await find('key-1');
    expect(given.asked).toHaveLength(3);
  });
});

describe('a publisher’s pin', () => {
  const pinnedWeb = (adagents: unknown) => {
    const given = usualWeb();
    given.documents[JWKS] = { keys: [ED25519.publicJwk, ES256.publicJwk] };
    given.documents[PUBLISHER] = adagents;
    return given;
  };
  const pin = (keys: unknown, url = AGENT) => ({
    authorized_agents: [{ url, authorized_for: 'all', signing_keys: keys }],
  });
  const adagentsUrls = [PUBLISHER];

  it('[W12] leaves only the pinned keys', async () => {
    const { find } = open(pinnedWeb(pin([ED25519.publicJwk])), { adagentsUrls });
    expect(await find('key-1')).toEqual(ED25519.publicJwk);
    expect(await find('key-2')).toBeUndefined();
  });

  it('[W12] is for this agent, in any spelling of its URL', async () => {
    const spelled = open(pinnedWeb(pin([ED25519.publicJwk], 'HTTPS://SALES.example:443/a2a')), { adagentsUrls });
    expect(await spelled.find('key-2')).toBeUndefined();
    const another = open(pinnedWeb(pin([ED25519.publicJwk], 'https://other.example/a2a')), { adagentsUrls });
    expect(await another.find('key-2')).toBeDefined();
  });

  it('[W12] of the same kid but another key counts for nothing: a taken-over agent cannot swap keys', async () => {
    const { find } = open(pinnedWeb(pin([{ ...ES256.publicJwk, kid: 'key-1' }])), { adagentsUrls });
    expect(await find('key-1')).toBeUndefined();
  });

  it('[W12] may pin nothing at all, which leaves no key', async () => {
    expect(await open(pinnedWeb(pin([])), { adagentsUrls }).find('key-1')).toBeUndefined();
    expect(await open(pinnedWeb(pin('nonsense')), { adagentsUrls }).find('key-1')).toBeUndefined();
  });

  it('hands its mark of revocation on', async () => {
    const revoked = { ...ED25519.publicJwk, revoked_at: '2026-01-01T00:00:00Z' };
    const { find } = open(pinnedWeb(pin([revoked])), { adagentsUrls });
    expect(await find('key-1')).toMatchObject({ kid: 'key-1', revoked_at: '2026-01-01T00:00:00Z' });
  });

  it('is not needed: no adagents.json, or none for this agent, leaves all keys', async () => {
    expect(await open(pinnedWeb(undefined), { adagentsUrls }).find('key-1')).toBeDefined();
    expect(
      await open(pinnedWeb({ authorized_agents: [{ url: AGENT }] }), { adagentsUrls }).find('key-1'),
    ).toBeDefined();
  });

  it('[W12] that cannot be read leaves no key: it might not be there', async () => {
    expect(await open(pinnedWeb(new Error('down')), { adagentsUrls }).find('key-1')).toBeUndefined();
    expect(await open(pinnedWeb([]), { adagentsUrls }).find('key-1')).toBeUndefined();
  });
});

describe('any spelling of the agent’s URL', () => {
  const BASE = 'https://sales.example';
  const CARD = `${BASE}/.well-known/agent-card.json`;
  const ENDPOINT = `${BASE}/a2a/jsonrpc`;
  const given = (card: unknown = { url: ENDPOINT }) =>
    web({ [BRAND]: { agents: [{ url: BASE, jwks_uri: JWKS }] }, [JWKS]: { keys: [ED25519.publicJwk] }, [CARD]: card });

  it.each([BASE, `${BASE}/`, 'HTTPS://SALES.example:443', CARD, ENDPOINT, `${ENDPOINT}/`])(
    '[W12] leads to its keys, and the sender is the URL that brand.json lists: %s',
    async (agentUrl) => {
      expect(await open(given(), { agentUrl }).keys('key-1')).toEqual({ jwk: ED25519.publicJwk, sender: BASE });
    },
  );

  it.each([{ supportedInterfaces: [{ url: ENDPOINT }] }, { additionalInterfaces: [{ url: ENDPOINT }] }])(
    'is what the card says, in either generation: %j',
    async (card) => {
      expect(await open(given(card), { agentUrl: ENDPOINT }).find('key-1')).toBeDefined();
    },
  );

  it.each([null, {}, { url: `${BASE}/a2a` }])('is none that the card %j does not name', async (card) => {
    const { keys } = open(given(card), { agentUrl: ENDPOINT });
    expect(await keys('key-1')).toEqual({ notFound: `${BRAND} does not list ${ENDPOINT}; it lists ${BASE}` });
  });

  it('is that of the nearest agent above it', async () => {
    const tenant = `${BASE}/tenant`;
    const documents = given();
    documents.documents[BRAND] = { agents: [{ url: BASE }, { url: tenant, jwks_uri: JWKS }] };
    documents.documents[`${tenant}/.well-known/agent-card.json`] = { url: `${tenant}/a2a` };
    expect(await open(documents, { agentUrl: `${tenant}/a2a` }).keys('key-1')).toMatchObject({ sender: tenant });
    expect(await open(documents, { agentUrl: `${BASE}/tenants/a2a` }).find('key-1')).toBeUndefined();
  });

  it.each(['', 'sales.example', 'ftp://sales.example'])('cannot be %j', (agentUrl) => {
    expect(() => agentKeys({ agentUrl })).toThrow(RangeError);
  });
});

describe('a key that is not found', () => {
  it.each([
    ['the key set does not have it', (given: ReturnType<typeof web>) => given, 'the key set has no key "key-2"'],
    ['brand.json is not there', ({ documents }: ReturnType<typeof web>) => (documents[BRAND] = undefined), BRAND],
    ['the key set is not there', ({ documents }: ReturnType<typeof web>) => (documents[JWKS] = undefined), JWKS],
    ['brand.json is none', ({ documents }: ReturnType<typeof web>) => (documents[BRAND] = []), 'is not a JSON object'],
  ])('says why: %s', async (_what, spoil, reason) => {
    const given = usualWeb();
    spoil(given);
    const found = await open(given).keys('key-2');
    expect(found).toEqual({ notFound: expect.stringContaining(reason) as string });
  });

  it.each([BRAND, JWKS])('is not said of one that may be there, while %s cannot be fetched', async (url) => {
    const given = usualWeb();
    given.documents[url] = new Error('connection refused');
    await expect(open(given).keys('key-1')).rejects.toThrow('connection refused');
  });

  it('is said once all is there again, and a key known from before is used meanwhile', async () => {
    const given = usualWeb();
    const { clock, keys } = open(given);
    await keys('key-1');
    given.documents[JWKS] = new Error('connection refused');
    clock.now += 300_001;
    expect(await keys('key-1')).toMatchObject({ jwk: ED25519.publicJwk });
    await expect(keys('key-2')).rejects.toThrow('connection refused');
    given.documents[JWKS] = { keys: [ED25519.publicJwk] };
    clock.now += 30_000;
    expect(await keys('key-2')).toEqual({ notFound: 'the key set has no key "key-2"' });
  });
});
