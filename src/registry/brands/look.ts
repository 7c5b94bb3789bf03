import { brandDocuments } from '../../directory/brand/brand-document.ts';
import { keepLook } from '../../directory/brand/keep-look.ts';
import type { FoundBrandFile } from '../../directory/brand/keep-look.ts';
import { registryBrands } from '../../directory/brand/registry-brand.ts';
import type { RegistryBrand } from '../../directory/brand/registry-brand.ts';
import { registrableDomain } from '../../directory/domain/normalize-domain.ts';
import { addressKey } from '../../platform/client-address.ts';
import { atMost } from '../../platform/at-most.ts';
import type { AtMost } from '../../platform/at-most.ts';
import { toTimestamp } from '../../platform/clock.ts';
import type { JsonObject } from '../../platform/json-object.ts';
import { createLeases, LeaseRows } from '../../platform/store/lease.ts';
import type { EndpointCall } from '../endpoint.ts';
import { timeLeft } from '../probe/ask.ts';
import type { Out } from '../probe/ask.ts';
import { fetchBrandFile } from './fetch-brand-file.ts';

/** Below the 10 s that callers are promised, so that the answer is out by then. In milliseconds. */
const ANSWER_MS = 9_500;
/** With less time than this left no fetch is begun: it would say more of the caller's time than of the domain. In milliseconds. */
const LEAST_MS = 2_000;
/** Who asks for what is fresh has it fetched anew when it is older than this, in milliseconds. */
const FRESH_MS = 60_000;
/** Fetched at once by this process. */
const AT_ONCE = 32;

/** What a domain's brand.json says now, or why that is not known. */
export type BrandFile =
  | { kind: 'read'; row: RegistryBrand; chain: { url: string; value: JsonObject }[] }
  | (Exclude<FoundBrandFile, { kind: 'read' }> & { looked_at: string });

/** Asks for the files of domains. One of these serves one call: of each domain it answers the same. */
export type BrandFiles = (domain: string) => Promise<BrandFile>;

type Means = Pick<EndpointCall, 'store' | 'clock' | 'budgets' | 'outbound' | 'address' | 'probeMs' | 'brandJsonUrl'>;

/**
 * Files from the store while they are new enough, else from their domains: of each domain one fetch at a time over all processes, which
 * counts in budgets. @throws {AppError} `RATE_LIMITED`, out of asking.
 */
export function brandFiles(call: Means, { isFresh = false }: { isFresh?: boolean } = {}): BrandFiles {
  const { store, clock, outbound: out, probeMs = ANSWER_MS, brandJsonUrl = wellKnownUrl } = call;
  const deadline = performance.now() + probeMs;
  const rows = store.collection(registryBrands);
  const leases = createLeases(() => store.collection(LeaseRows), clock);
  const known = new Map<string, Promise<BrandFile>>();

  async function fileOf(domain: string): Promise<BrandFile> {
    const present = await fromStore(domain);
    if (present !== undefined) return present;
    const stop = AbortSignal.timeout(timeLeft({ out, deadline }));
    try {
      return await leases.hold(`brand ${domain}`, () => whenAlone(domain), stop);
    } catch (error) {
      if (!stop.aborted || error !== stop.reason) throw error;
      return tooLate();
    }
  }

  function tooLate(): BrandFile {
    const reason = 'there was no time left to ask for it';
    return { kind: 'failed', code: 'TIMEOUT', reason, looked_at: toTimestamp(clock.now()) };
  }

  async function fromStore(domain: string): Promise<BrandFile | undefined> {
    const row = await rows.get(domain);
    const nowMs = clock.now();
    if (row === undefined || row.due_at <= toTimestamp(nowMs) || row.looked_at > toTimestamp(nowMs)) return undefined;
    if (isFresh && row.looked_at <= toTimestamp(nowMs - FRESH_MS)) return undefined;
    return asTold(row);
  }

  async function whenAlone(domain: string): Promise<BrandFile> {
    const present = await fromStore(domain);
    if (present !== undefined) return present;
    const look = await placesOf(out)(async () => {
      if (timeLeft({ out, deadline }) < LEAST_MS) return undefined;
      await admit(call, domain);
      const startedAt = clock.now();
      return { domain, startedAt, found: await fetchBrandFile({ out, deadline }, brandJsonUrl(domain)) };
    });
    if (look === undefined) return tooLate();
    const row = await keepLook({ store, nowMs: clock.now() }, look);
    return (await asTold(row)) ?? notThere(row);
  }

  /** Undefined for a row whose file has been replaced since. Who asks for what is fresh is not told what was read before a failure. */
  async function asTold(row: RegistryBrand): Promise<BrandFile | undefined> {
    if (row.file === null || (isFresh && row.outcome === 'failed')) return notThere(row);
    const document = await store.collection(brandDocuments).get(row.file.document_id);
    const chain = document?.chain.map(({ url, json }) => ({ url, value: JSON.parse(json) as JsonObject }));
    return chain && { kind: 'read', row, chain };
  }

  return (domain) => {
    const file = known.get(domain) ?? fileOf(domain);
    known.set(domain, file);
    return file;
  };
}

/** A file that was replaced while it was read is there, and can be asked for again. */
function notThere({ outcome, failure, file_status, looked_at }: RegistryBrand): BrandFile {
  if (outcome === 'absent') return { kind: 'absent', status: file_status ?? 404, looked_at };
  const { code, reason } = failure ?? { code: 'UNREACHABLE', reason: 'it is being read by somebody else; ask again' };
  return { kind: 'failed', code, reason, looked_at, ...(file_status !== null && { status: file_status }) };
}

/**
 * Counts what strangers have fetched: by whom, and below which domain, where names are free; a domain itself is fetched no more often than
 * its answers are used. @throws {AppError} `RATE_LIMITED`.
 */
async function admit({ budgets, address }: Means, domain: string): Promise<void> {
  const spent = await budgets.take('brand_fetches', addressKey(address));
  const above = registrableDomain(domain) ?? domain;
  try {
    if (above !== domain) await budgets.take('brand_fetches_of_domain', above);
  } catch (error) {
    await spent.giveBack();
    throw error;
  }
}

/** Where brand.json is at a domain. */
function wellKnownUrl(domain: string): string {
  return brandJsonUrlOf(`https://${domain}`);
}

/** The well-known address of brand.json at an origin. */
export function brandJsonUrlOf(origin: string): string {
  return `${origin}/.well-known/brand.json`;
}

/** The places for fetches, one set to each way out. */
const PLACES = new WeakMap<Out, AtMost>();

function placesOf(out: Out): AtMost {
  const known = PLACES.get(out) ?? atMost(AT_ONCE);
  PLACES.set(out, known);
  return known;
}
