import { isObject } from '../../platform/json-object.ts';
import { parseJsonInSlices } from '../../platform/intake/parse-json-in-slices.ts';
import { atMost } from '../../platform/at-most.ts';
import type { AtMost } from '../../platform/at-most.ts';
import { isLate, TOO_LATE, timeLeft } from '../probe/ask.ts';
import type { Asking, Out } from '../probe/ask.ts';
import { managerDomainIn, parseAdsTxt } from '../sellers/parse-ads-txt.ts';
import { readAdAgents } from './adagents-file.ts';
import type { AdAgents } from './adagents-file.ts';
import type { Elsewhere } from './elsewhere-on-request.ts';
import { withUnfound } from './own-properties.ts';
import { inTurnForFile } from './shared-files.ts';
import type { SharedFiles } from './shared-files.ts';
import { whyNotJson } from './why-not-json.ts';

/** A publisher's file as it was found, or why not; absent: it is gone, or what it points to is. */
export type FoundFile = ReadFile | { kind: 'failed'; reason: string } | AbsentFile;

export interface ReadFile {
  kind: 'read';
  file: AdAgents;
  /** The URL that answered with the file: behind redirects, or where the file is kept elsewhere. */
  source_url: string;
  /** The `authoritative_location` that led there; null for a file of the publisher's own. */
  location: string | null;
  /** What the file says of when it was last changed; null where that is no time. */
  last_updated: string | null;
  /** It was fetched in a look at another publisher that began then; in milliseconds. */
  fetchedMs?: number;
}

export interface AbsentFile {
  kind: 'absent';
  reason: string;
  /** Whom `ads.txt` names instead; null: nobody. Absent: that could not be read. */
  manager_domain?: string | null;
  /** `ads.txt` has records: what it says of sellers is worth reading. */
  names_sellers?: true;
}

/** Of the publisher's own address, and of another that it names, which many publishers may share; in bytes. */
export const MOST_BYTES = { own: 5_000_000, elsewhere: 20_000_000 } as const;
const MOST_ADS_TXT_BYTES = 1_000_000;
/** What is larger is fetched anew, a few at once in this process: so the memory they take has a bound. */
const ORDINARY_BYTES = 1_000_000;
const LARGE_AT_ONCE = 3;
/** A larger body is parsed in slices. */
const PARSED_AT_ONCE_BYTES = 100_000;

/**
 * Reads a publisher's file, and the one place that it may point to instead (rule R15.scope). At its own address up to three redirects
 * are followed within the site; at the other none: its URL is what the publisher declared. Where there is no file (404, 410), `ads.txt`
 * beside it may name a manager; where a file points to nothing, nobody is asked.
 */
export async function fetchAdAgents(
  asking: Asking,
  { url, publisherDomain, ...look }: FileLook & { url: string; publisherDomain: string },
): Promise<FoundFile> {
  const first = await readFrom(asking, url, look, 'own');
  if (first.kind === 'missing')
    return { kind: 'absent', reason: first.reason, ...(await managerOf(asking, url, publisherDomain)) };
  if (first.kind === 'failed') return first;
  const location = first.file.authoritative_location;
  if (location === undefined) return withUnfound(first, publisherDomain);
  await look.elsewhere?.admit(location);
  const there = await readThere({ ...asking, turns: asking.turns ?? look.elsewhere?.turns }, location, look);
  // There is a file, so nobody's `ads.txt` is asked who manages it.
  if (there.kind !== 'read')
    return {
      kind: there.kind === 'missing' ? 'absent' : 'failed',
      reason: `authoritative_location: ${there.reason}`,
    };
  if (there.file.authoritative_location === undefined) return withUnfound({ ...there, location }, publisherDomain);
  return { kind: 'failed', reason: 'authoritative_location points to a file that points elsewhere again' };
}

interface FileLook {
  nowMs: number;
  /** What goes before the fetch of a file that is kept elsewhere. Default: nothing. */
  elsewhere?: Elsewhere | undefined;
  /** Where files that others point to, too, are found and kept, and when the newest was fetched that is known. Default: nowhere. */
  shared?: { files: SharedFiles; knownMs: () => Promise<number> } | undefined;
  /** Is shown each file's JSON and the URL that answered, a file which points elsewhere first. */
  inspect?: (json: unknown, url: string) => Promise<void>;
}

type Answer = ReadFile | { kind: 'failed'; reason: string } | { kind: 'missing'; reason: string };

/** What a publisher points to: fetched once for all who do, where there is somewhere to keep it. */
async function readThere(asking: Asking, url: string, look: FileLook): Promise<Answer> {
  const { shared, nowMs } = look;
  if (shared === undefined) return readFrom(asking, url, look, 'elsewhere');
  const keep = (body: Buffer) => {
    shared.files.keep(url, { body, fetchedMs: nowMs });
  };
  const found = await inTurnForFile(asking.turns, url, async () => {
    const file = shared.files.find(url);
    // What was fetched before the publisher's last look would tell it nothing new.
    if (file !== undefined && file.fetchedMs > (await shared.knownMs())) return file;
    return readFrom(asking, url, look, 'elsewhere', keep);
  });
  if ('kind' in found) return found;
  const read = () => readBody({ kind: 'body', body: found.body, url }, look);
  const answer = await (found.body.length > ORDINARY_BYTES ? largeFiles(asking.out)(read) : read());
  return answer.kind === 'read' ? { ...answer, fetchedMs: found.fetchedMs } : answer;
}

async function readFrom(
  asking: Asking,
  url: string,
  look: FileLook,
  place: 'own' | 'elsewhere',
  keep?: (body: Buffer) => void,
): Promise<Answer> {
  const redirects = place === 'own' ? 3 : 0;
  const ordinary = await getBytes(asking, url, { maxBytes: ORDINARY_BYTES, redirects });
  if (ordinary.kind !== 'too large') return readBody(ordinary, look, keep);
  const since = performance.now();
  return largeFiles(asking.out)(async () => {
    // Waiting for a place is not the publisher's time.
    const deadline = asking.deadline + performance.now() - since;
    const whole = await getBytes({ ...asking, deadline }, url, { maxBytes: MOST_BYTES[place], redirects });
    if (whole.kind === 'too large') return { kind: 'failed', reason: `body is larger than ${MOST_BYTES[place]} bytes` };
    return readBody(whole, look, keep);
  });
}

async function readBody(
  answer: Exclude<Body, { kind: 'too large' }>,
  { nowMs, inspect }: FileLook,
  keep?: (body: Buffer) => void,
): Promise<Answer> {
  if (answer.kind !== 'body') return answer;
  const json = await parsed(answer.body);
  if (json instanceof Error) return { kind: 'failed', reason: json.message };
  await inspect?.(json, answer.url);
  const file = await readAdAgents(json, nowMs);
  if (file === undefined) return { kind: 'failed', reason: 'the file has no list authorized_agents' };
  keep?.(answer.body);
  const updatedMs = isObject(json) ? Date.parse(String(json['last_updated'])) : NaN;
  const last_updated = Number.isNaN(updatedMs) ? null : new Date(updatedMs).toISOString();
  return { kind: 'read', file, source_url: answer.url, location: null, last_updated };
}

async function parsed(body: Buffer): Promise<unknown> {
  try {
    if (body.length > PARSED_AT_ONCE_BYTES) return await parseJsonInSlices(body);
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as unknown;
  } catch (error) {
    return new Error(body.length > PARSED_AT_ONCE_BYTES ? (error as Error).message : whyNotJson(body));
  }
}

/** Why there is no file, and who speaks for the publisher instead. */
export function withManager(reason: string, manager: string): string {
  return `${reason}; its ads.txt names ${manager} as manager`;
}

/** Where `ads.txt` cannot be read, nothing is known of a manager. */
async function managerOf(
  asking: Asking,
  url: string,
  publisherDomain: string,
): Promise<Pick<AbsentFile, 'manager_domain' | 'names_sellers'>> {
  const adsTxt = await getBytes(asking, new URL('/ads.txt', url).href, { maxBytes: MOST_ADS_TXT_BYTES, redirects: 3 });
  if (adsTxt.kind === 'missing') return { manager_domain: null };
  if (adsTxt.kind !== 'body') return {};
  const said = await parseAdsTxt(adsTxt.body);
  if (said === undefined) return { manager_domain: null };
  const names_sellers = said.records.length > 0;
  return {
    manager_domain: managerDomainIn(said, publisherDomain) ?? null,
    ...(names_sellers && { names_sellers }),
  };
}

/** What a URL answered; `status` where something did. */
type Body =
  | { kind: 'body'; body: Buffer; url: string }
  | { kind: 'missing'; reason: string; status: number }
  | { kind: 'failed'; reason: string; status?: number }
  | { kind: 'too large' };

/** GETs a publisher's file, whole or not at all. 404 and 410: there is none. Late is `TOO_LATE.reason`. */
export async function getBytes(
  asking: Asking,
  url: string,
  { maxBytes, redirects }: { maxBytes: number; redirects: number },
): Promise<Body> {
  if (isLate(asking)) return { kind: 'failed', reason: TOO_LATE.reason };
  const result = await asking.out.fetchBytes(url, {
    ...{ maxBytes, redirects, totalTimeoutMs: timeLeft(asking) },
    headers: { accept: 'application/json, text/plain;q=0.5', 'accept-encoding': 'gzip, identity;q=0.5' },
    ...(asking.signal && { signal: asking.signal }),
    ...(asking.turns && { inTurn: asking.turns.inTurn }),
  });
  switch (result.kind) {
    case 'response': {
      const { status, body } = result;
      if (status === 200) return { kind: 'body', body, url: result.url };
      return { kind: status === 404 || status === 410 ? 'missing' : 'failed', reason: `answered ${status}`, status };
    }
    case 'timeout':
      return { kind: 'failed', reason: TOO_LATE.reason };
    case 'unusable':
      return result.reason === 'body is too large'
        ? ofTooLarge(result.status)
        : { kind: 'failed', reason: result.reason };
    case 'refused':
    case 'connection_error':
      return { kind: 'failed', reason: result.reason };
  }
}

/** The pages that go with an error may be of any size. */
function ofTooLarge(status: number): Body {
  if (status === 200) return { kind: 'too large' };
  return { kind: status === 404 || status === 410 ? 'missing' : 'failed', reason: `answered ${status}`, status };
}

/** The places for large files, one set to each way out. */
const LARGE_FILES = new WeakMap<Out, AtMost>();

function largeFiles(out: Out): AtMost {
  const known = LARGE_FILES.get(out) ?? atMost(LARGE_AT_ONCE);
  LARGE_FILES.set(out, known);
  return known;
}
