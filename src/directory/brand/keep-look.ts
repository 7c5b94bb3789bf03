import { toTimestamp } from '../../platform/clock.ts';
import { isObject } from '../../platform/json-object.ts';
import type { JsonObject } from '../../platform/json-object.ts';
import type { Store } from '../../platform/store/collection.ts';
import { brandDocumentId, brandDocuments } from './brand-document.ts';
import type { FetchedJson } from './brand-document.ts';
import { dropHints } from './brand-name.ts';
import { BRAND_KEPT_MS, MOST_REVISIONS, NO_BRAND_KEPT_MS, registryBrands } from './registry-brand.ts';
import type { BrandFailureCode, BrandRevision, RegistryBrand } from './registry-brand.ts';

/** What a look at a domain's brand.json found. */
export type FoundBrandFile =
  | { kind: 'read'; chain: FetchedJson[] }
  /** Nothing is there: 404 or 410, or an answer that is no JSON, such as a page for whatever is asked. */
  | { kind: 'absent'; status: number }
  | { kind: 'failed'; code: BrandFailureCode; reason: string; status?: number };

export interface BrandLook {
  domain: string;
  /** By the clock, in milliseconds. */
  startedAt: number;
  found: FoundBrandFile;
}

/** How long an answer is used, in milliseconds. */
const USED_MS = { read: 24 * 3_600_000, absent: 3_600_000, failed: 300_000 } as const;
/** A file is believed this long after it was last read, where it cannot be read again. */
const BELIEVED_MS = 48 * 3_600_000;
const MOST_URL = 500;

/**
 * Takes over what a look found, unless one that began later is there already, and answers the row as it now stands. What dies in
 * between leaves a document that no row names, which expires, or names that the row no longer has, which count for nothing.
 */
export async function keepLook(
  { store, nowMs }: { store: Store; nowMs: number },
  look: BrandLook,
): Promise<RegistryBrand> {
  const { domain, found } = look;
  const rows = store.collection(registryBrands);
  const before = await rows.get(domain);
  const document_id = found.kind === 'read' ? await keepDocument(store, look, found.chain) : null;
  const changed = await changedMembers(store, before, found);
  const fresh = nextRow(undefined, look, document_id, changed);
  let row = fresh;
  if (!(await rows.insert(fresh)).inserted) {
    const next = (known: RegistryBrand) =>
      isOvertaken(known, fresh, nowMs) ? undefined : nextRow(known, look, document_id, changed);
    row = (await rows.update(domain, next))?.row ?? fresh;
  }
  const replaced = before?.file?.document_id;
  if (replaced !== undefined && replaced !== row.file?.document_id)
    await store.collection(brandDocuments).delete(replaced);
  if (before !== undefined && row.identity === null) await dropHints(store, before, []);
  return row;
}

/** One from the future was begun before the clock was set back. */
function isOvertaken(known: RegistryBrand, { looked_at }: RegistryBrand, nowMs: number): boolean {
  return known.looked_at > looked_at && known.looked_at <= toTimestamp(nowMs);
}

async function keepDocument(store: Store, { domain, startedAt }: BrandLook, chain: FetchedJson[]): Promise<string> {
  const documents = store.collection(brandDocuments);
  const document_id = brandDocumentId(domain, chain);
  const expires_at = toTimestamp(startedAt + BRAND_KEPT_MS);
  const { inserted } = await documents.insert({ document_id, chain, expires_at, revision: 1 });
  if (!inserted) await documents.update(document_id, (row) => ({ ...row, expires_at }));
  return document_id;
}

function nextRow(
  known: RegistryBrand | undefined,
  look: BrandLook,
  document_id: string | null,
  changed: string,
): RegistryBrand {
  const { domain, startedAt, found } = look;
  const looked_at = toTimestamp(startedAt);
  const kept = found.kind === 'failed' && known !== undefined && isBelieved(known, startedAt) ? known.file : null;
  const file = document_id === null ? kept : { document_id, seen_at: looked_at };
  const isSame = file !== null && known?.file?.document_id === file.document_id;
  const revisions = nextRevisions(known?.revisions ?? [], look, document_id, changed);
  const keptMs = revisions.length > 0 ? BRAND_KEPT_MS : NO_BRAND_KEPT_MS;
  return {
    ...(known ?? { names_until: null, revision: 1 }),
    ...{ domain, looked_at, outcome: found.kind, file, is_listed: file !== null, revisions },
    failure: found.kind === 'failed' ? { code: found.code, reason: found.reason } : null,
    file_status: found.kind === 'read' ? 200 : (found.status ?? null),
    due_at: toTimestamp(dueAt(look)),
    // Of another file nothing is known until it is resolved; that follows at once, or when it is next asked for.
    identity: isSame ? (known.identity ?? null) : null,
    expires_at: toTimestamp(startedAt + keptMs),
  };
}

function isBelieved({ file }: RegistryBrand, nowMs: number): boolean {
  return file !== null && nowMs - Date.parse(file.seen_at) < BELIEVED_MS;
}

/** A redirect that says from when on it holds is looked for then. */
function dueAt({ startedAt, found }: BrandLook): number {
  const usual = startedAt + USED_MS[found.kind];
  if (found.kind !== 'read') return usual;
  const effective = found.chain.map(({ json }) => Date.parse(String(membersOf(json)['redirect_effective_at'])));
  return Math.min(usual, ...effective.filter((at) => at > startedAt));
}

/** A failed look says nothing of the file, and what is there as it was, or is still not there, is no change. */
function nextRevisions(
  known: readonly BrandRevision[],
  { startedAt, found }: BrandLook,
  document_id: string | null,
  changed: string,
): BrandRevision[] {
  const last = known.at(-1);
  if (found.kind === 'failed' || (last?.digest ?? null) === document_id) return [...known];
  const source_url = found.kind === 'read' ? (found.chain.at(-1)?.url ?? null) : null;
  const next = {
    ...{ number: (last?.number ?? 0) + 1, at: toTimestamp(startedAt), digest: document_id },
    source_url: source_url === null || source_url.length > MOST_URL ? null : source_url,
    file_status: found.kind === 'read' ? 200 : found.status,
    summary: summaryOf(last, document_id, changed),
  };
  return [...known, next].slice(-MOST_REVISIONS);
}

function summaryOf(last: BrandRevision | undefined, document_id: string | null, changed: string): string {
  if (document_id === null) return 'the file is gone';
  if (last === undefined) return 'the file became known';
  return last.digest === null ? 'the file is there again' : changed;
}

/** Members of the standard, by name; others are strangers' words, and counted. */
const KNOWN_MEMBERS: ReadonlySet<string> = new Set([
  ...['authoritative_location', 'house', 'region', 'note', 'redirect_reason', 'redirect_effective_at', 'version'],
  ...['agents', 'brand_agent', 'brands', 'brand_refs', 'authorized_operators', 'trademarks', 'contact', 'last_updated'],
  ...['id', 'names', 'house_domain', 'keller_type', 'parent_brand', 'url', 'description', 'industries', 'logos'],
  ...['colors', 'fonts', 'tone', 'tagline', 'visual_guidelines', 'properties', 'rights_agent', 'target_audience'],
]);

/** What a file has otherwise than the one before it, in a sentence. */
async function changedMembers(store: Store, before: RegistryBrand | undefined, found: FoundBrandFile): Promise<string> {
  const earlier = before?.file && (await store.collection(brandDocuments).get(before.file.document_id));
  if (!earlier || found.kind !== 'read') return 'the file changed';
  const then = membersOf(earlier.chain.at(-1)?.json);
  const now = membersOf(found.chain.at(-1)?.json);
  const names = [...new Set([...Object.keys(then), ...Object.keys(now)])];
  const other = names.filter((name) => JSON.stringify(then[name]) !== JSON.stringify(now[name]));
  if (other.length === 0) return 'the same is served from another place';
  const told = other.filter((name) => KNOWN_MEMBERS.has(name)).sort();
  const untold = other.length - told.length;
  return `changed: ${[...told, ...(untold > 0 ? [`other members (${untold})`] : [])].join(', ')}`;
}

function membersOf(json: string | undefined): JsonObject {
  const value: unknown = json === undefined ? undefined : JSON.parse(json);
  return isObject(value) ? value : {};
}
