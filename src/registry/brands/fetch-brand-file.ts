import type { FetchedJson } from '../../directory/brand/brand-document.ts';
import type { FoundBrandFile } from '../../directory/brand/keep-look.ts';
import { InputRefusal } from '../../platform/intake/input-refusal.ts';
import { parseJson } from '../../platform/intake/parse-json.ts';
import { isObject } from '../../platform/json-object.ts';
import { getBytes } from '../crawl/fetch-adagents.ts';
import { TOO_LATE } from '../probe/ask.ts';
import type { Asking } from '../probe/ask.ts';
import { variantOf } from './brand-json.ts';

/** Of one file. */
const MOST_BYTES = 262_144;
/** Hops of any kind on the way to what counts, by the standard. */
export const MOST_HOPS = 3;

/**
 * Reads the brand.json at a domain, and those that it names as `authoritative_location` in its place. At the well-known address
 * redirects of HTTP are followed within the site; at the others none: their URL is what the domain declared.
 */
export async function fetchBrandFile(asking: Asking, wellKnown: string): Promise<FoundBrandFile> {
  const chain: FetchedJson[] = [];
  const asked = new Set<string>();
  for (let url = wellKnown; ;) {
    const isOwn = chain.length === 0;
    if (asked.has(url))
      return failed('REDIRECT_LOOP', `authoritative_location leads back: ${[...asked, url].join(' → ')}`);
    if (chain.length > MOST_HOPS) return leadsTooFar();
    asked.add(url);
    const read = await readOne(asking, url, isOwn);
    if (read.kind !== 'json') {
      if (isOwn) return read;
      // Whatever is wrong elsewhere, the domain's own file is there: it is never said to have none.
      if (read.kind === 'absent')
        return failed(
          read.status === 200 ? 'INVALID_FILE' : 'UNREACHABLE',
          `${ELSEWHERE}answered ${read.status} without a file`,
        );
      return failed(read.code, `${ELSEWHERE}${read.reason}`);
    }
    chain.push({ url: read.url, json: read.text });
    const location = read.value['authoritative_location'];
    if (typeof location !== 'string') return { kind: 'read', chain };
    url = canonical(location);
  }
}

const ELSEWHERE = 'authoritative_location: ';

async function readOne(asking: Asking, url: string, isOwn: boolean) {
  const answer = await getBytes(asking, url, { maxBytes: MOST_BYTES, redirects: isOwn ? 3 : 0 });
  switch (answer.kind) {
    case 'missing':
      return { kind: 'absent' as const, status: answer.status };
    case 'too large':
      return failed('INVALID_FILE', `the file is larger than ${MOST_BYTES} bytes`, 200);
    case 'failed': {
      const code = answer.reason === TOO_LATE.reason ? 'TIMEOUT' : 'UNREACHABLE';
      return failed(code, answer.reason, answer.status);
    }
    case 'body': {
      const json = jsonOf(answer.body);
      // Sites that answer whatever is asked with a page have no such file.
      if (json === undefined) return { kind: 'absent' as const, status: 200 };
      if (json instanceof InputRefusal) return failed('INVALID_FILE', json.message, 200);
      if (!isObject(json.value) || variantOf(json.value) === undefined) return failed('INVALID_FILE', NO_FORM, 200);
      return { kind: 'json' as const, url: answer.url, text: json.text, value: json.value };
    }
  }
}

/** Why a file says nothing of a brand. */
export const NO_FORM = 'it has none of the five forms of a brand.json';

/** The failure of what leads too far. */
export function leadsTooFar() {
  return failed('REDIRECT_TOO_DEEP', `it leads over more than ${MOST_HOPS} places`);
}

/** The value and its text; a refusal for what is too much to look at; undefined for what is no JSON. */
function jsonOf(body: Buffer) {
  try {
    return parseJson(body, { isStored: true });
  } catch (error) {
    if (!(error instanceof InputRefusal)) throw error;
    return error.refusedFor === 'unreadable' ? undefined : error;
  }
}

/** So that two ways of writing it are one; what is no URL the way out refuses. */
function canonical(location: string): string {
  const url = URL.parse(location);
  if (url === null) return location;
  url.hash = '';
  return url.href;
}

function failed<C extends string>(code: C, reason: string, status?: number) {
  return { kind: 'failed' as const, code, reason, ...(status !== undefined && { status }) };
}
