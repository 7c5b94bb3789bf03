import { readAdAgents } from '../crawl/adagents-file.ts';
import type { AdAgents, LeftOut } from '../crawl/adagents-file.ts';
import { adAgentsUrlOf } from '../crawl/crawl-publisher.ts';
import { elsewhereOnRequest } from '../crawl/elsewhere-on-request.ts';
import { fetchAdAgents, MOST_BYTES, withManager } from '../crawl/fetch-adagents.ts';
import type { FoundFile } from '../crawl/fetch-adagents.ts';
import { withUnfound } from '../crawl/own-properties.ts';
import type { EndpointCall } from '../endpoint.ts';
import { findingsIn } from './findings.ts';
import type { FileFinding, Findings } from './findings.ts';

/** As long as a crawl takes at most, in milliseconds. */
const PROBE_MS = 9_500;

/** For a file that is too large to be sent. */
export const CHECKED_AT_ITS_PLACE = `publish it and send its domain alone: at the domain up to ${MOST_BYTES.own} bytes are read, where authoritative_location leads up to ${MOST_BYTES.elsewhere}`;

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
  /** Whom its ads.txt names, where it has no file; and that one's, which speaks for it then. */
  manager?: ManagerFile;
}

interface ManagerFile {
  domain: string;
  source_url: string | null;
  failure?: string;
  file?: AdAgents;
}

/** A finding and the URL of the file that has it; null for one that was sent. */
type ToldFinding = FileFinding & { source_url: string | null };

/** A file that is not published yet, as its publisher's own. */
export async function lookAtSent(
  json: unknown,
  { publisherDomain, nowMs }: { publisherDomain: string; nowMs: number },
): Promise<LookedAt> {
  const read = await readAdAgents(json, nowMs);
  const file = read && (await withUnfound({ file: read }, publisherDomain)).file;
  const found = withLeftOut(await findingsIn(json, nowMs), file);
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
  const elsewhere = elsewhereOnRequest(out, call.budgets, new URL(call.baseUrl()).origin);
  const at = { url: adAgentsUrl(publisherDomain), publisherDomain };
  const fetched = await fetchAdAgents(asking, { ...at, nowMs, inspect, elsewhere });
  if (fetched.kind === 'absent' && fetched.manager_domain != null) {
    const manager = fetched.manager_domain;
    const look = { url: adAgentsUrl(manager), publisherDomain: manager, nowMs, elsewhere };
    return {
      ...{ source_url: null, valid: false, failure: withManager(fetched.reason, manager) },
      manager: managerFile(manager, await fetchAdAgents(asking, look)),
    };
  }
  const last = seen.at(-1);
  if (fetched.kind === 'read' && last !== undefined) last[1] = withLeftOut(last[1], fetched.file);
  const findings = seen.length > 0 ? toldOf(seen) : undefined;
  if (fetched.kind !== 'read') return { source_url: null, valid: false, findings, failure: fetched.reason };
  const valid = last?.[1].errors.length === 0;
  return { source_url: fetched.source_url, valid, findings, file: fetched.file };
}

function managerFile(domain: string, found: FoundFile): ManagerFile {
  if (found.kind !== 'read') return { domain, source_url: null, failure: found.reason };
  return { domain, source_url: found.source_url, file: found.file };
}

/** With what a crawl leaves out of the file as errors, where nothing else says what is wrong there, and what it only finds less by. */
function withLeftOut({ errors, warnings }: Findings, file: AdAgents | undefined): Findings {
  const isTold = ({ pointer }: LeftOut) =>
    errors.some((error) => error.pointer === pointer || error.pointer.startsWith(`${pointer}/`));
  const more = (file?.left_out ?? []).filter((one) => !isTold(one));
  const told = more.map(({ pointer, why }) => ({
    pointer,
    message: `it ${why}`,
    fix: 'mend it; until then it does not count',
  }));
  const unfound = file?.unfound !== undefined && {
    ...{ pointer: '/properties', message: file.unfound },
    fix: 'leave out identifiers that nobody looks for; the first of the file count',
  };
  return { errors: [...errors, ...told], warnings: unfound ? [unfound, ...warnings] : warnings };
}

function toldOf(seen: readonly (readonly [string | null, Findings])[]): NonNullable<LookedAt['findings']> {
  const told = (kind: keyof Findings) =>
    seen.flatMap(([source_url, found]) => found[kind].map((finding) => ({ ...finding, source_url })));
  return { errors: told('errors'), warnings: told('warnings') };
}
