import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { INPUT_LIMITS } from '../../platform/intake/input-limits.ts';
import { parseInput } from '../../platform/validation.ts';
import { normalizeDomain } from '../domain/normalize-domain.ts';

/** Infrastructure that is no publisher (rule R2). */
export const BlockedDomainType = z.enum(['ad_server', 'cdn', 'tracker', 'intermediary']);
export type BlockedDomainType = z.infer<typeof BlockedDomainType>;

const SAY_WHY = 'say in words why it is blocked';
const SAY_WHERE = 'say in words where that can be checked, such as a URL, or leave it out';

/** What is blocked, and why: one line of `catalog/blocked-domains.json`, and what is stored of each. */
export const BlockedDomain = z.object({
  /** Canonical (rule R1); every domain below it is blocked too. */
  domain: z.string(),
  domain_type: BlockedDomainType,
  /** Why, for the person whose list held it. */
  blocked_reason: z.string().min(1, SAY_WHY),
  /** Where that can be checked. */
  source: z.string().min(1, SAY_WHERE).optional(),
});
export type BlockedDomain = z.infer<typeof BlockedDomain>;

/** Finds the entry that blocks a canonical domain: its own, or else that of the nearest domain above it. */
export type FindBlocked = (domain: string) => BlockedDomain | undefined;

export function blockedDomainFinder(entries: readonly BlockedDomain[]): FindBlocked {
  const byDomain = new Map(entries.map((entry) => [entry.domain, entry]));
  const mostLabels = Math.max(0, ...entries.map(({ domain }) => domain.split('.').length));
  return (domain) => {
    let nearest: BlockedDomain | undefined;
    let dot = domain.length;
    // From the right, and no further than any entry reaches: a name may have a hundred labels.
    for (let labels = 0; labels < mostLabels && dot > 0; labels++) {
      dot = domain.lastIndexOf('.', dot - 1);
      nearest = byDomain.get(domain.slice(dot + 1)) ?? nearest;
    }
    return nearest;
  };
}

const BlockedDomainFile = z
  .array(
    BlockedDomain.refine(({ domain }) => normalizeDomain(domain)?.domain === domain, {
      path: ['domain'],
      message: 'write the domain in its canonical form: lower case, no scheme, no leading www. or m.',
    }),
  )
  .max(INPUT_LIMITS.blockedDomains, `list at most ${INPUT_LIMITS.blockedDomains} domains`);

/**
 * Reads the list that a registry begins with. Keys beyond those of {@link BlockedDomain} are for its readers.
 * @throws {AppError} `VALIDATION_ERROR` naming every bad entry; {SyntaxError} for what is no JSON.
 */
export async function readBlockedDomains(file: string): Promise<BlockedDomain[]> {
  return parseInput(BlockedDomainFile, JSON.parse(await readFile(file, 'utf8')), [], Infinity);
}
