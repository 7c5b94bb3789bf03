import type { RelationshipTrust } from '../../directory/brand/registry-brand.ts';
import type { JsonObject } from '../../platform/json-object.ts';
import { domainOf, portfolioAt } from './brand-json.ts';
import type { Portfolio } from './brand-json.ts';
import type { BrandFiles } from './look.ts';
import { endOfRedirects } from './end-of-redirects.ts';

/** A brand's place in a house, as both sides have it. */
export interface Relationship {
  relationship_trust: RelationshipTrust;
  /** Only where both say so. */
  house_domain?: string;
  house_name?: string;
  /** What the brand says alone. */
  claimed_house_domain?: string;
  warnings: string[];
}

/**
 * Whether the house that a brand's own document names lists the brand in turn (`brand_refs`): else it is a claim, which takes nothing
 * from the brand's own identity. A brand that names none stands alone, whoever lists it.
 */
export async function relationshipOf(
  files: BrandFiles,
  { domain, json, nowMs }: { domain: string; json: JsonObject; nowMs: number },
): Promise<Relationship> {
  const named = json['house_domain'];
  if (named === undefined || named === null) return { relationship_trust: 'standalone', warnings: [] };
  const claimed = domainOf(named);
  if (claimed === undefined || claimed === domain)
    return {
      relationship_trust: 'standalone',
      warnings: ['house_domain names no other domain, and counts for nothing'],
    };
  const alone = (why: string): Relationship => ({
    ...{ relationship_trust: 'leaf_only', claimed_house_domain: claimed },
    warnings: [`${claimed}, which house_domain names, does not list this brand: ${why}`],
  });
  const end = await endOfRedirects(files, claimed);
  if (end.kind === 'absent') return alone('it has no brand.json');
  if (end.kind === 'failed') {
    const isPassing = end.code === 'UNREACHABLE' || end.code === 'TIMEOUT';
    if (!isPassing) return alone(`${end.domain}: ${end.reason}`);
    return {
      ...{ relationship_trust: 'unverifiable', claimed_house_domain: claimed },
      warnings: [`${end.domain}, which is to confirm the house, cannot be read now: ${end.reason}`],
    };
  }
  const portfolio = end.variant === 'house_portfolio' ? portfolioAt(end.domain, end.json) : undefined;
  if (portfolio === undefined) return alone(`${end.domain} has no portfolio of its own`);
  const why = whyNotListed(portfolio, { domain, id: json['id'], nowMs });
  if (why !== undefined) return alone(why);
  const { house_domain, house_name } = portfolio;
  return {
    ...{ relationship_trust: 'mutual', house_domain, ...(house_name !== undefined && { house_name }) },
    warnings: house_domain === claimed ? [] : [`${claimed} leads to ${house_domain}, which lists this brand`],
  };
}

/** An entry must be the only one of its domain and of its id, and have begun. */
function whyNotListed(
  { refs, brands }: Portfolio,
  { domain, id, nowMs }: { domain: string; id: unknown; nowMs: number },
): string | undefined {
  const [ref, another] = refs.filter((each) => each.domain === domain);
  if (ref === undefined) return 'it is not among its brand_refs';
  if (another !== undefined) return 'its brand_refs have the domain more than once';
  if (ref.brand_id === undefined || ref.brand_id !== id) return 'its brand_refs have the domain under another brand_id';
  const isTwice =
    refs.some((each) => each !== ref && each.brand_id === id) || brands.some((brand) => brand['id'] === id);
  if (isTwice) return 'its portfolio has the brand_id more than once';
  return ref.effective_at <= nowMs ? undefined : 'effective_at of its entry in brand_refs is yet to come, or no time';
}
