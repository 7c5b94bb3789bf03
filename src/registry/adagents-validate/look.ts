import type { AdAgents } from '../crawl/adagents-file.ts';
import { adAgentsUrlOf } from '../crawl/crawl-publisher.ts';
import { fetchAdAgents } from '../crawl/fetch-adagents.ts';
import type { EndpointCall } from '../endpoint.ts';
import type { FileFinding, Findings } from './file-finding.ts';
import { findingsIn } from './findings.ts';

/** As long as a crawl takes at most, in milliseconds. */
const PROBE_MS = 9_500;

/** What was found of a file, or of the one that led to it too. */
export interface LookedAt {
  /** The URL that answered with the file that counts; null for one that was sent or cannot be read. */
  source_url: string | null;
  /** The file that counts can be read and has no errors. */
  valid: boolean;
  /** Of each file that was JSON, the one that points elsewhere first; undefined: none was. */
  findings?: { errors: ToldFinding[]; warnings: ToldFinding[] } | undefined;
  file?: AdAgents | undefined;
  failure?: string;
}

/** A finding and the URL of the file that has it; null for one that was sent. */
type ToldFinding = FileFinding & { source_url: string | null };

/** A file that is not published yet. */
export async function lookAtSent(json: unknown, nowMs: number): Promise<LookedAt> {
  const { file, ...found } = await findingsIn(json, nowMs);
  const valid = file !== undefined && found.errors.length === 0;
  return { source_url: null, valid, findings: toldOf([[null, found]]), file };
}

/** By the same fetch as a crawl; where the first file points elsewhere, both are looked at, and the second counts. */
export async function lookAtDomain(call: EndpointCall, publisherDomain: string, nowMs: number): Promise<LookedAt> {
  const { outbound: out, probeMs = PROBE_MS, adAgentsUrl = (name: string) => adAgentsUrlOf(`https://${name}`) } = call;
  const asking = { out, deadline: performance.now() + probeMs, signal: undefined };
  const seen: [string, Findings][] = [];
  const inspect = async (json: unknown, url: string) => {
    seen.push([url, await findingsIn(json, nowMs)]);
  };
  const found = await fetchAdAgents(asking, { url: adAgentsUrl(publisherDomain), publisherDomain, nowMs, inspect });
  const findings = seen.length > 0 ? toldOf(seen) : undefined;
  if (found.kind !== 'read') return { source_url: null, valid: false, findings, failure: found.reason };
  const valid = seen.at(-1)?.[1].errors.length === 0;
  return { source_url: found.source_url, valid, findings, file: found.file };
}

function toldOf(seen: readonly (readonly [string | null, Findings])[]): NonNullable<LookedAt['findings']> {
  const told = (kind: keyof Findings) =>
    seen.flatMap(([source_url, found]) => found[kind].map((finding) => ({ ...finding, source_url })));
  return { errors: told('errors'), warnings: told('warnings') };
}
