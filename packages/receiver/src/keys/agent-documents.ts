import { isObject, objectsIn, textOf } from '../wire/json-shape.ts';
import type { JsonObject } from '../wire/json-shape.ts';
import { canonicalTargetUri } from '../wire/target-uri.ts';
import type { FetchJson } from './fetch-json.ts';
import type { Jwk } from './resolved-key.ts';

/** An agent's own words lead to no key: a document is missing or says something else. Asking again helps no one. */
export class NoKeysPublished extends Error {}

/** Where an agent and its documents are. */
export interface AgentPlace {
  /** The agent's URL as the receiver was told, in any spelling. */
  agentUrl: string;
  brandJsonUrl?: string;
  adagentsUrls?: readonly string[];
}

/** The keys an agent publishes, and the URL that brand.json lists it by. */
export interface AgentDocuments {
  sender: string;
  keys: Jwk[];
}

/**
 * Reads brand.json, there the `agents[]` entry of this agent, there its `jwks_uri`, and the publishers' pins (rule
 * C.webhook.signatures.6).
 * @throws {NoKeysPublished} saying which document leads nowhere; any other error when one cannot be fetched now.
 */
export async function readAgentDocuments(place: AgentPlace, fetchJson: FetchJson): Promise<AgentDocuments> {
  const { agentUrl, adagentsUrls = [] } = place;
  const read = documentReader(fetchJson);
  const brandUrl = place.brandJsonUrl ?? wellKnown(agentUrl, 'brand.json');
  const first = await read(brandUrl);
  const elsewhere = textOf(first['authoritative_location']);
  const brand = elsewhere === undefined ? first : await read(elsewhere);

  const entry = await entryOf(agentUrl, objectsIn(brand['agents']), elsewhere ?? brandUrl, read);
  const sender = textOf(entry['url']) ?? agentUrl;
  const [jwks, ...pins] = await Promise.all([
    read(textOf(entry['jwks_uri']) ?? wellKnown(sender, 'jwks.json')),
    ...adagentsUrls.map((url) => pinOf(sender, url, fetchJson)),
  ]);
  const published = objectsIn(jwks['keys']);
  return { sender, keys: pins.reduce<Jwk[]>((keys, pin) => (pin === undefined ? keys : pinned(keys, pin)), published) };
}

type ReadDocument = (url: string) => Promise<JsonObject>;

/** A status that says "not here" is the sender's word; any other but 200 may pass. */
function documentReader(fetchJson: FetchJson): ReadDocument {
  return async (url) => {
    const { status, json } = await fetchJson(url);
    if (status === 404 || status === 410) throw new NoKeysPublished(`${url} is not there: it answers ${status}`);
    if (status !== 200) throw new Error(`${url} cannot be read: it answers ${status}`);
    if (!isObject(json)) throw new NoKeysPublished(`${url} is not a JSON object`);
    return json;
  };
}

/** The one entry with the agent's URL in any spelling; else the one under whose URL the agent's card names it. */
async function entryOf(
  agentUrl: string,
  entries: readonly JsonObject[],
  brandUrl: string,
  read: ReadDocument,
): Promise<JsonObject> {
  const wanted = canonical(agentUrl);
  const [entry, another] = entries.filter((listed) => canonical(listed['url']) === wanted);
  if (another !== undefined) throw new NoKeysPublished(`${brandUrl} lists ${agentUrl} more than once`);
  return entry ?? (await entryByCard(agentUrl, entries, read)) ?? notListed(agentUrl, entries, brandUrl);
}

/** The nearest listed agent above this URL, when its card says that this is where it is called. */
async function entryByCard(
  agentUrl: string,
  entries: readonly JsonObject[],
  read: ReadDocument,
): Promise<JsonObject | undefined> {
  const wanted = canonical(agentUrl) ?? '';
  const isAbove = (listed: string | undefined) =>
    listed !== undefined && wanted.startsWith(listed.endsWith('/') ? listed : `${listed}/`);
  const lengthOf = ({ url }: JsonObject) => canonical(url)?.length ?? 0;
  const above = entries.filter((listed) => isAbove(canonical(listed['url'])));
  const [entry] = above.sort((one, other) => lengthOf(other) - lengthOf(one));
  if (entry === undefined) return undefined;
  const cardUrl = `${(textOf(entry['url']) ?? '').replace(/\/$/, '')}${CARD_PATH}`;
  if (canonical(cardUrl) === wanted) return entry;
  const card = await read(cardUrl).catch((error: unknown): JsonObject => {
    if (error instanceof NoKeysPublished) return {};
    throw error;
  });
  const interfaces = [card, ...objectsIn(card['supportedInterfaces']), ...objectsIn(card['additionalInterfaces'])];
  return interfaces.some((named) => canonical(named['url']) === wanted) ? entry : undefined;
}

function notListed(agentUrl: string, entries: readonly JsonObject[], brandUrl: string): never {
  const listed = entries.map(({ url }) => textOf(url) ?? 'an agent without url').slice(0, 5);
  throw new NoKeysPublished(`${brandUrl} does not list ${agentUrl}; it lists ${listed.join(', ') || 'no agent'}`);
}

/** The keys a publisher pins for this agent; undefined when it pins none. Not knowing whether it does is an error. */
async function pinOf(sender: string, adagentsUrl: string, fetchJson: FetchJson): Promise<Jwk[] | undefined> {
  const { status, json } = await fetchJson(adagentsUrl);
  if (status === 404 || status === 410) return undefined;
  if (status !== 200 || !isObject(json)) throw new Error(`${adagentsUrl} cannot be read: it answers ${status}`);
  const wanted = canonical(sender);
  const entries = objectsIn(json['authorized_agents']).filter(
    ({ url }) => wanted !== undefined && canonical(url) === wanted,
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

const CARD_PATH = '/.well-known/agent-card.json';

/** A URL in the one spelling by which URLs are compared, without a slash at its end. */
function canonical(url: unknown): string | undefined {
  return canonicalTargetUri(textOf(url) ?? '')?.uri.replace(/\/$/, '');
}

function wellKnown(agentUrl: string, document: string): string {
  return new URL(`/.well-known/${document}`, agentUrl).href;
}
