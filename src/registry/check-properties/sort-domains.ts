import type { BlockedDomain, FindBlocked } from '../../directory/blocked-domain/blocked-domain.ts';
import { normalizeDomain } from '../../directory/domain/normalize-domain.ts';
import type { DomainChange } from '../../directory/domain/normalize-domain.ts';
import type { PropertyReport } from '../../directory/property-report/property-report.ts';
import type { PublisherSource } from '../../directory/publisher/publisher.ts';
import { mapInSlices } from '../../platform/in-slices.ts';
import { INPUT_LIMITS } from '../../platform/intake/input-limits.ts';

/** What can be said of one input without asking the registry. */
export type DomainVerdict =
  | { kind: 'unparsable'; input: string }
  | { kind: 'duplicate'; input: string; canonical: string }
  | { kind: 'blocked'; input: string; canonical: string; entry: BlockedDomain }
  | { kind: 'modified'; input: string; canonical: string; reason: Exclude<DomainChange, 'none'> }
  | { kind: 'unchanged'; canonical: string };

/**
 * Judges each input, in the order of rule R2 up to the point where the registry must be asked. Lets others have their turn on the
 * way: a long list takes its time (rule S1).
 */
export async function judgeDomains(domains: readonly string[], findBlocked: FindBlocked): Promise<DomainVerdict[]> {
  const seen = new Set<string>();
  return mapInSlices(domains, (sent): DomainVerdict => {
    const normalized = normalizeDomain(sent);
    const input = shown(sent);
    if (normalized === undefined) return { kind: 'unparsable', input };
    const { domain: canonical, change } = normalized;
    if (seen.has(canonical)) return { kind: 'duplicate', input, canonical };
    seen.add(canonical);
    const entry = findBlocked(canonical);
    if (entry !== undefined) return { kind: 'blocked', input, canonical, entry };
    return change === 'none'
      ? { kind: 'unchanged', canonical }
      : { kind: 'modified', input, canonical, reason: change };
  });
}

/** What was sent, cut where it is longer than any domain; not through the middle of a surrogate pair. */
function shown(input: string): string {
  if (input.length <= INPUT_LIMITS.domainLength) return input;
  return `${input.slice(0, INPUT_LIMITS.domainLength).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** Puts every input into exactly one bucket, each bucket in input order (rule R2). */
export function sortDomains(
  verdicts: readonly DomainVerdict[],
  knownOf: (domain: string) => { source: PublisherSource; seen_at?: string | undefined } | undefined,
): Omit<PropertyReport, 'report_id' | 'expires_at'> {
  const report: Omit<PropertyReport, 'report_id' | 'expires_at' | 'summary'> = {
    remove: [],
    modify: [],
    assess: [],
    ok: [],
  };
  for (const verdict of verdicts) {
    switch (verdict.kind) {
      case 'unparsable':
        report.assess.push({ domain: verdict.input });
        break;
      case 'duplicate':
        report.remove.push({ input: verdict.input, canonical: verdict.canonical, reason: 'duplicate' });
        break;
      case 'blocked': {
        const { domain_type, blocked_reason } = verdict.entry;
        const { input, canonical } = verdict;
        report.remove.push({ input, canonical, reason: 'blocked', domain_type, blocked_reason });
        break;
      }
      case 'modified':
        report.modify.push({ input: verdict.input, canonical: verdict.canonical, reason: verdict.reason });
        break;
      case 'unchanged': {
        const known = knownOf(verdict.canonical);
        if (known === undefined) report.assess.push({ domain: verdict.canonical });
        else report.ok.push({ domain: verdict.canonical, ...known });
      }
    }
  }
  return {
    summary: {
      total: verdicts.length,
      remove: report.remove.length,
      modify: report.modify.length,
      assess: report.assess.length,
      ok: report.ok.length,
    },
    ...report,
  };
}
