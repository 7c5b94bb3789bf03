import type { BrandFailureCode, BrandIdentity, RelationshipTrust } from '../../directory/brand/registry-brand.ts';
import type { JsonObject } from '../../platform/json-object.ts';
import { agentUrlOf, factsOf, ownsSite, portfolioAt, siteOf } from './brand-json.ts';
import type { BrandFacts, Portfolio } from './brand-json.ts';
import type { BrandFiles } from './look.ts';
import { relationshipOf } from './relationship.ts';
import { endOfRedirects } from './end-of-redirects.ts';

/** Whom a domain stands for. */
export interface FoundBrand {
  canonical_id: string;
  canonical_domain: string;
  brand_name: string;
  names?: Record<string, string>[];
  keller_type?: NonNullable<BrandIdentity['keller_type']>;
  parent_brand?: string;
  house_domain?: string;
  house_name?: string;
  claimed_house_domain?: string;
  relationship_trust: RelationshipTrust;
  brand_agent_url?: string;
  /** As it is published. */
  brand_manifest?: JsonObject;
  warnings: string[];
}

export type Resolution =
  | { kind: 'brand'; brand: FoundBrand }
  | { kind: 'absent'; status: number }
  | { kind: 'failed'; code: BrandFailureCode; reason: string; status?: number };

/**
 * Resolves a domain by the standard (docs/decisions/0068-brands-by-both-sides.md): what is at its end of redirects speaks for the domain
 * where that is its own, or names it; else the domain stands for itself, and its house is a claim.
 */
export async function resolveBrandOf(files: BrandFiles, asked: string, nowMs: number): Promise<Resolution> {
  const own = await files(asked);
  if (own.kind === 'absent') return { kind: 'absent', status: own.status };
  const end = own.kind === 'read' ? await endOfRedirects(files, asked) : { ...own, domain: asked };
  if (end.kind === 'absent') return brand(claimOf(asked, end.domain, `${end.domain} has no brand.json`));
  if (end.kind === 'failed') {
    const where = end.domain === asked ? '' : `${end.domain}, to which it leads: `;
    const { code, reason, status } = end;
    return { kind: 'failed', code, reason: `${where}${reason}`, ...(status !== undefined && { status }) };
  }
  const { domain, json } = end;
  switch (end.variant) {
    case 'brand_agent':
      return byAgent(asked, domain, json);
    case 'brand_canonical': {
      if (domain !== asked && !ownsSite(json, asked))
        return brand(claimOf(asked, domain, `${domain} does not name it`));
      const place = await relationshipOf(files, { domain, json, nowMs });
      return brand({ ...told(factsOf(json), domain), ...ids(domain), brand_manifest: json, ...place });
    }
    case 'house_portfolio': {
      const portfolio = portfolioAt(domain, json);
      if (portfolio !== undefined) return brand(inPortfolio(portfolio, asked));
      return invalid(`the portfolio at ${domain} is of a house at another domain`);
    }
  }
}

/** A file that names an agent alone says no name: the domain stands for it. */
function byAgent(asked: string, domain: string, json: JsonObject): Resolution {
  const url = agentUrlOf(json);
  if (url === undefined) return invalid(`the file at ${domain} names no agent of type brand with a URL`);
  if (domain !== asked)
    return brand({ ...claimOf(asked, domain, `the agent of ${domain} has not spoken for it`), brand_agent_url: url });
  return brand({ ...itself(asked), brand_agent_url: url, relationship_trust: 'standalone', warnings: [] });
}

/** Brands within a portfolio are trusted by the house alone; the house itself is its one master brand, or has its own name. */
function inPortfolio(portfolio: Portfolio, asked: string): FoundBrand {
  const { brands, refs, house, house_domain, house_name } = portfolio;
  const place = { house_domain, ...(house_name !== undefined && { house_name }) };
  const listed = brands.filter((entry) => ownsSite(entry, asked));
  const masters = asked === house_domain ? brands.filter((entry) => entry['keller_type'] === 'master') : [];
  const entry = listed[0] ?? (masters.length === 1 ? masters[0] : undefined);
  if (entry !== undefined) {
    const facts = factsOf(entry);
    const isOneOfSome = listed.length > 1;
    return {
      ...told(facts, asked),
      canonical_id: facts.id === undefined ? house_domain : `${house_domain}#${facts.id}`,
      canonical_domain: siteOf(entry) ?? asked,
      ...{ ...place, relationship_trust: 'inline', brand_manifest: entry },
      warnings: isOneOfSome ? [`${listed.length} brands of the house name this domain; the first is told`] : [],
    };
  }
  if (asked === house_domain) {
    const self = { ...told(factsOf(house), asked), ...(house_name !== undefined && { brand_name: house_name }) };
    return { ...self, ...ids(asked), ...place, relationship_trust: 'standalone', warnings: [] };
  }
  const isPointer = refs.some(({ domain }) => domain === asked);
  const why = isPointer ? `${house_domain} expects a document of its own there` : `${house_domain} does not list it`;
  return claimOf(asked, house_domain, why);
}

function claimOf(asked: string, house: string, why: string): FoundBrand {
  const warnings = [`it says that ${house} is its house, and stands for itself alone: ${why}`];
  return { ...itself(asked), claimed_house_domain: house, relationship_trust: 'leaf_only', warnings };
}

function itself(domain: string) {
  return { ...ids(domain), brand_name: domain };
}

function ids(domain: string) {
  return { canonical_id: domain, canonical_domain: domain };
}

function told({ name, names, id: _, ...facts }: BrandFacts, otherwise: string) {
  return { brand_name: name ?? otherwise, ...(names.length > 0 && { names }), ...facts };
}

function brand(found: FoundBrand): Resolution {
  return { kind: 'brand', brand: found };
}

function invalid(reason: string): Resolution {
  return { kind: 'failed', code: 'INVALID_FILE', reason };
}
