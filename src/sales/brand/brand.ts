import type { Fetch } from '../../platform/outbound/fetch.ts';

/** What a buyer's brand says of itself, for choosing products. */
export interface Brand {
  /** Words for the ranker; empty when nothing could be read. */
  text: string;
  read_from: 'request' | 'url';
  /** Why nothing was read, for the buyer. */
  note?: string;
}

const MAX_BYTES = 512 * 1024;
const MAX_CHARACTERS = 5_000;
const CONNECT_WITHIN_MS = 2_000;
const READ_WITHIN_MS = 4_000;
const REDIRECTS = 3;

/**
 * Reads a `brand_manifest`: the one in the request, or the manifest (JSON) or page (HTML) that its `url` leads to, fetched by
 * the guarded client (rules C.tasks.get_products, W16). A brand is a hint: what cannot be read is told
 * in `note` and never fails the call. Takes at most four seconds.
 */
export async function readBrand(out: Pick<Fetch, 'fetchBytes'>, manifest: Manifest): Promise<Brand> {
  const { url, ...inline } = manifest;
  if (Object.keys(inline).length > 0) return { text: wordsIn(inline), read_from: 'request' };
  const text = typeof url === 'string' ? await textAt(out, url) : { note: 'brand_manifest is empty' };
  return typeof text === 'string' ? { text, read_from: 'url' } : { text: '', read_from: 'url', ...text };
}

type Manifest = Readonly<Record<string, unknown>>;

async function textAt({ fetchBytes }: Pick<Fetch, 'fetchBytes'>, url: string): Promise<string | { note: string }> {
  const fetched = await fetchBytes(url, {
    maxBytes: MAX_BYTES,
    redirects: REDIRECTS,
    connectTimeoutMs: CONNECT_WITHIN_MS,
    totalTimeoutMs: READ_WITHIN_MS,
    headers: { accept: 'application/json, text/html;q=0.9' },
  });
  const unread = (why: string) => ({ note: `brand_manifest.url was not read: ${why}; products are chosen without it` });
  if (fetched.kind === 'refused') return unread(fetched.reason);
  if (fetched.kind === 'unusable') return unread(fetched.reason);
  if (fetched.kind !== 'response') return unread('it could not be reached');
  if (fetched.status !== 200) return unread(`it answered ${fetched.status}`);
  const body = fetched.body.toString('utf8');
  const type = fetched.headers['content-type'] ?? '';
  if (/\bhtml\b/.test(type)) return pageText(body).slice(0, MAX_CHARACTERS);
  const json = parsed(body);
  return json === undefined ? unread('it is neither a manifest in JSON nor a page') : wordsIn(json);
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return undefined;
  }
}

/** Keys whose values say nothing of what the brand is about. */
const SILENT = /^(url|.*_url|urls|colors|fonts|logos?|assets|id|.*_id|contact|email)$/i;
const MAX_DEPTH = 6;

/** The texts of a manifest, in its order. */
function wordsIn(value: unknown): string {
  const texts: string[] = [];
  const walk = (part: unknown, depth: number): void => {
    if (depth > MAX_DEPTH) return;
    if (typeof part === 'string') texts.push(part);
    else if (Array.isArray(part)) for (const item of part) walk(item, depth + 1);
    else if (typeof part === 'object' && part !== null) {
      for (const [key, inner] of Object.entries(part)) if (!SILENT.test(key)) walk(inner, depth + 1);
    }
  };
  walk(value, 0);
  return texts.join('. ').slice(0, MAX_CHARACTERS);
}

const MAX_TAGS = 400;
/** Of a page's head: names and properties of `meta` that tell what it is about. */
const TELLING = /^(description|keywords|og:(site_name|title|description)|twitter:(title|description))$/i;

/** What a page says it is about: its title and the describing `meta` of its head, each once. No markup is trusted or kept. */
function pageText(html: string): string {
  const title = /<title[^>]{0,200}>([^<]{0,500})/i.exec(html)?.[1] ?? '';
  const metas = (html.match(/<meta\s[^>]{1,2000}>/gi) ?? []).slice(0, MAX_TAGS).map((tag) => {
    const name = attribute(tag, 'name') ?? attribute(tag, 'property') ?? '';
    return TELLING.test(name) ? (attribute(tag, 'content') ?? '') : '';
  });
  const texts = [title, ...metas].map((text) => decoded(text).replaceAll(/\s+/g, ' ').trim());
  return [...new Set(texts.filter((text) => text !== ''))].join('. ');
}

function attribute(tag: string, name: string): string | undefined {
  const found = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`, 'i').exec(tag);
  return found?.[1] ?? found?.[2];
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

function decoded(text: string): string {
  return text
    .replaceAll(/&#(\d{1,6});/g, (_, code: string) => String.fromCodePoint(Math.min(Number(code), 0x10ffff)))
    .replaceAll(/&([a-z]{2,6});/gi, (whole, name: string) => ENTITIES[name.toLowerCase()] ?? whole);
}
