import { canonicalTargetUri } from '../wire/target-uri.ts';
import { NoKeysPublished, readAgentDocuments } from './agent-documents.ts';
import type { AgentDocuments, AgentPlace } from './agent-documents.ts';
import { boundedFetchJson } from './fetch-json.ts';
import type { FetchJson } from './fetch-json.ts';
import { keysOf } from './resolved-key.ts';
import type { KeyNotFound, ResolvedKey, ResolveKey } from './resolved-key.ts';

export interface AgentKeysOptions extends AgentPlace {
  /**
   * The seller agent's URL: as its operator's brand.json lists it, with or without a slash at its end, or as its agent
   * card names it. The sender identity is the URL that brand.json lists.
   */
  agentUrl: string;
  /** Default: `/.well-known/brand.json` at the agent URL's origin. */
  brandJsonUrl?: string;
  /** The `adagents.json` of publishers whose `signing_keys[]` pins to honour. */
  adagentsUrls?: readonly string[];
  /** Default: what the adapter brings along, else {@link boundedFetchJson}. */
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
 * Finds a seller's keys: its brand.json, there the `agents[]` entry of this agent, there the `jwks_uri` (default
 * `/.well-known/jwks.json` at the agent's origin); and where a publisher's adagents.json pins `signing_keys[]` for this
 * agent, only keys that stand in the pin too, with the same key material (rule C.webhook.signatures.6).
 *
 * Fetched once for all callers and cached; an unknown key id has everything fetched again at once, but not within 30 s of
 * the last such time (rule W12, step 7). A key that is not there comes back as `notFound` with the reason; the resolver
 * throws while a document cannot be fetched and it has no such key from before.
 * @throws {RangeError} when `agentUrl` is not an http or https URL.
 */
export function agentKeys(options: AgentKeysOptions): ResolveKey {
  if (canonicalTargetUri(options.agentUrl) === undefined) throw new RangeError('agentUrl is an absolute http(s) URL');
  const { now = Date.now, cacheSeconds = 300, staleSeconds = 3600 } = options;
  const cacheMs = Math.min(Math.max(cacheSeconds, 60), 900) * 1000;
  let documents: AgentDocuments | undefined;
  /** Why the last fetch gave nothing. */
  let failure: unknown;
  let fetchedAt = -Infinity;
  let triedAt = -Infinity;
  let refetchedAt = -Infinity;
  let fetching: Promise<void> | undefined;

  function fetchKeys(fetchJson: FetchJson): Promise<void> {
    triedAt = now();
    fetching ??= readAgentDocuments(options, fetchJson)
      .then((read) => {
        [documents, failure, fetchedAt] = [read, undefined, now()];
      })
      .catch((error: unknown) => {
        failure = error;
        if (now() > fetchedAt + cacheMs + staleSeconds * 1000) documents = undefined;
      })
      .finally(() => {
        fetching = undefined;
      });
    return fetching;
  }

  async function known(keyid: string): Promise<ResolvedKey | KeyNotFound> {
    const found = documents && (await keysOf(documents, documents.sender)(keyid));
    if (found !== undefined && 'jwk' in found) return found;
    if (failure === undefined) return found ?? { notFound: 'no key has been fetched yet' };
    if (failure instanceof NoKeysPublished) return { notFound: failure.message };
    throw failure instanceof Error ? failure : new Error('the keys could not be fetched');
  }

  return async (keyid, surroundings) => {
    const fetchJson = options.fetchJson ?? surroundings?.fetchJson ?? boundedFetchJson();
    const isDue = now() > fetchedAt + cacheMs && now() >= triedAt + RETRY_MS;
    await (isDue ? fetchKeys(fetchJson) : fetching);
    const holds = documents?.keys.some(({ kid }) => kid === keyid) === true;
    if (holds || isDue) return known(keyid);
    const mayRefetch = now() >= refetchedAt + REFETCH_COOL_DOWN_MS;
    if (mayRefetch) refetchedAt = now();
    await (mayRefetch ? fetchKeys(fetchJson) : fetching);
    return known(keyid);
  };
}
