import { canonicalTargetUri } from '../signing/target-uri.ts';
import { boundedFetchJson } from './fetch-json.ts';
import type { FetchJson } from './fetch-json.ts';
import { isObject, objectsIn, textOf } from './json-shape.ts';
import type { JsonObject } from './json-shape.ts';
import { keysOf } from './resolved-key.ts';
import type { Jwk, ResolveKey } from './resolved-key.ts';

export interface AgentKeysOptions {
  /** The seller agent's URL, byte for byte as its operator's brand.json lists it. It becomes the sender identity. */
  agentUrl: string;
  /** Default: `/.well-known/brand.json` at the agent URL's origin. */
  brandJsonUrl?: string;
  /** The `adagents.json` of publishers whose `signing_keys[]` pins to honour. */
  adagentsUrls?: readonly string[];
  fetchJson?: FetchJson;
  /** How long fetched keys are used without asking again, 60–900 s. Default 300. */
  cacheSeconds?: number;
  /** How long past that they are used when fetching fails, in seconds. Default 3600. */
  staleSeconds?: number;
  /** Milliseconds since the epoch. Default: the system's clock. */
  now?: () => number;
}

const REFETCH_COOL_DOWN_MS = 30_000;
const RETRY_MS = 5_000;

/**
 * Finds a seller's keys: its brand.json, there the `agents[]` entry with its URL, there the `jwks_uri` (default
 * `/.well-known/jwks.json` at the agent's origin); and where a publisher's adagents.json pins `signing_keys[]` for this
 * agent, only keys that stand in the pin too, with the same key material (rule C.webhook.signatures.6).
 *
 * Fetched once for all callers and cached; an unknown key id has everything fetched again at once, but not within 30 s of
 * the last such time (rule W12, step 7). Never throws: a document that is missing or wrong leaves keys unknown.
 */
export function agentKeys(options: AgentKeysOptions): ResolveKey {
  const { now = Date.now, cacheSeconds = 300, staleSeconds = 3600 } = options;
  const cacheMs = Math.min(Math.max(cacheSeconds, 60), 900) * 1000;
  let keys: ResolveKey = () => undefined;
  let fetchedAt = -Infinity;
  let triedAt = -Infinity;
  let refetchedAt = -Infinity;
  let fetching: Promise<void> | undefined;

  function fetchKeys(): Promise<void> {
    triedAt = now();
    fetching ??= fetchAgentKeys(options)
      .then((found) => {
        keys = keysOf({ keys: found }, options.agentUrl);
        fetchedAt = now();
      })
      .catch(() => {
        if (now() > fetchedAt + cacheMs + staleSeconds * 1000) keys = () => undefined;
      })
      .finally(() => {
        fetching = undefined;
      });
    return fetching;
  }

  return async (keyid) => {
    const isDue = now() > fetchedAt + cacheMs && now() >= triedAt + RETRY_MS;
    await (isDue ? fetchKeys() : fetching);
    const known = await keys(keyid);
    if (known !== undefined || isDue) return known;
    const mayRefetch = now() >= refetchedAt + REFETCH_COOL_DOWN_MS;
    if (mayRefetch) refetchedAt = now();
    await (mayRefetch ? fetchKeys() : fetching);
    return keys(keyid);
  };
}

async function fetchAgentKeys(options: AgentKeysOptions): Promise<Jwk[]> {
  const { agentUrl, adagentsUrls = [], fetchJson = boundedFetchJson() } = options;
  const brandUrl = options.brandJsonUrl ?? wellKnown(agentUrl, 'brand.json');
  const [jwks, pins] = await Promise.all([
    fetchJwks(agentUrl, brandUrl, fetchJson),
    Promise.all(adagentsUrls.map((url) => fetchPin(agentUrl, url, fetchJson))),
  ]);
  return pins.reduce<Jwk[]>((keys, pin) => (pin === undefined ? keys : pinned(keys, pin)), jwks);
}

async function fetchJwks(agentUrl: string, brandUrl: string, fetchJson: FetchJson): Promise<Jwk[]> {
  let brand = await fetchObject(brandUrl, fetchJson);
  const elsewhere = textOf(brand['authoritative_location']);
  if (elsewhere !== undefined) brand = await fetchObject(elsewhere, fetchJson);
  const [entry, another] = objectsIn(brand['agents']).filter((agent) => agent['url'] === agentUrl);
  if (entry === undefined || another !== undefined) throw new Error('brand.json does not list this agent once');
  const jwks = await fetchObject(textOf(entry['jwks_uri']) ?? wellKnown(agentUrl, 'jwks.json'), fetchJson);
  return objectsIn(jwks['keys']);
}

/** The keys a publisher pins for this agent; undefined when it pins none. Not knowing whether it does is an error. */
async function fetchPin(agentUrl: string, adagentsUrl: string, fetchJson: FetchJson): Promise<Jwk[] | undefined> {
  const { status, json } = await fetchJson(adagentsUrl);
  if (status === 404 || status === 410) return undefined;
  if (status !== 200 || !isObject(json)) throw new Error('adagents.json cannot be read');
  const agent = canonicalTargetUri(agentUrl)?.uri;
  const entries = objectsIn(json['authorized_agents']).filter(
    (entry) => agent !== undefined && canonicalTargetUri(textOf(entry['url']) ?? '')?.uri === agent,
  );
  const pins = entries.filter((entry) => entry['signing_keys'] !== undefined);
  return pins.length === 0 ? undefined : pins.flatMap((entry) => objectsIn(entry['signing_keys']));
}

/** The keys that stand in the pin with the same key material; the pin's mark of revocation goes with them. */
function pinned(keys: readonly Jwk[], pin: readonly Jwk[]): Jwk[] {
  return keys.flatMap((key) => {
    const twin = pin.find(
      (other) => other['kid'] === key['kid'] && ['kty', 'crv', 'x', 'y'].every((field) => other[field] === key[field]),
    );
    if (twin === undefined) return [];
    return twin['revoked_at'] === undefined ? [key] : [{ ...key, revoked_at: twin['revoked_at'] }];
  });
}

async function fetchObject(url: string, fetchJson: FetchJson): Promise<JsonObject> {
  const { status, json } = await fetchJson(url);
  if (status !== 200 || !isObject(json)) throw new Error('the document is not there, or not a JSON object');
  return json;
}

function wellKnown(agentUrl: string, document: string): string {
  return new URL(`/.well-known/${document}`, agentUrl).href;
}
