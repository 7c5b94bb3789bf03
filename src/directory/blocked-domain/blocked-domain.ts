import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { parseInput } from '../../platform/validation.ts';
import { withParents, normalizeDomain } from '../domain/normalize-domain.ts';

/** Infrastructure that is no publisher (rule R2). */
export const BlockedDomainType = z.enum(['ad_server', 'cdn', 'tracker', 'intermediary']);
export type BlockedDomainType = z.infer<typeof BlockedDomainType>;

/** One line of `catalog/blocked-domains.json`. */
export const BlockedDomain = z.object({
  /** Canonical (rule R1); every domain below it is blocked too. */
  domain: z.string(),
  domain_type: BlockedDomainType,
  /** Why, for the person whose list held it. */
  blocked_reason: z.string().min(1),
});
export type BlockedDomain = z.infer<typeof BlockedDomain>;

/** Finds the entry that blocks a canonical domain: its own, or else that of the nearest domain above it. */
export type FindBlocked = (domain: string) => BlockedDomain | undefined;

export function blockedDomainFinder(entries: readonly BlockedDomain[]): FindBlocked {
  const byDomain = new Map(entries.map((entry) => [entry.domain, entry]));
  return (domain) => {
    const exact = byDomain.get(domain);
    if (exact !== undefined) return exact;
    for (const parent of withParents(domain)) {
      const entry = byDomain.get(parent);
      if (entry !== undefined) return entry;
    }
    return undefined;
  };
}

const BlockedDomainFile = z.array(
  BlockedDomain.refine(({ domain }) => normalizeDomain(domain)?.domain === domain, {
    path: ['domain'],
    message: 'write the domain in its canonical form: lower case, no scheme, no leading www. or m.',
  }),
);

/**
 * Reads the list of blocked infrastructure that an operator edits. Keys beyond those of {@link BlockedDomain}, such as a
 * citation, are for its readers.
 * @throws {AppError} `VALIDATION_ERROR` naming every bad entry; {SyntaxError} for what is no JSON.
 */
export async function readBlockedDomains(file: string): Promise<BlockedDomain[]> {
  return parseInput(BlockedDomainFile, JSON.parse(await readFile(file, 'utf8')), [], Infinity);
}
