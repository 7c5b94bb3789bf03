import { KellerType } from '../../directory/brand/registry-brand.ts';
import { normalizeDomain } from '../../directory/domain/normalize-domain.ts';
import { isObject } from '../../platform/json-object.ts';
import type { JsonObject } from '../../platform/json-object.ts';

/** The five forms of a brand.json, by the names of the public registry. */
export const BRAND_VARIANTS = [
  'authoritative_location',
  'house_redirect',
  'brand_agent',
  'house_portfolio',
  'brand_canonical',
] as const;
export type BrandVariant = (typeof BRAND_VARIANTS)[number];

/** Which form a file has; undefined: none. The form that sends elsewhere goes before what stands beside it. */
export function variantOf(json: JsonObject): BrandVariant | undefined {
  const { authoritative_location, house, brands, brand_refs, id, names, agents, brand_agent } = json;
  if (typeof authoritative_location === 'string') return 'authoritative_location';
  if (typeof house === 'string') return 'house_redirect';
  if (isObject(house)) return Array.isArray(brands) || Array.isArray(brand_refs) ? 'house_portfolio' : undefined;
  if (typeof id === 'string' && Array.isArray(names)) return 'brand_canonical';
  return Array.isArray(agents) || isObject(brand_agent) ? 'brand_agent' : undefined;
}

/** What is read of a brand's own entry or document. */
export interface BrandFacts {
  id: string | undefined;
  /** Undefined where it has none that can be read. */
  name: string | undefined;
  names: Record<string, string>[];
  keller_type?: (typeof KellerType.options)[number];
  parent_brand?: string;
  brand_agent_url?: string;
}

const MOST_NAMES = 50;
const MOST_TEXT = 200;

/** Members that are not as the standard has them count as not there. */
export function factsOf(brand: JsonObject): BrandFacts {
  const names = listOf(brand['names']).filter(isName).slice(0, MOST_NAMES);
  const keller = KellerType.safeParse(brand['keller_type']);
  const parent_brand = textOf(brand['parent_brand']);
  const brand_agent_url = agentUrlOf(brand);
  return {
    id: textOf(brand['id']),
    name: mainName(names) ?? textOf(brand['name']),
    names,
    ...(keller.success && { keller_type: keller.data }),
    ...(parent_brand !== undefined && { parent_brand }),
    ...(brand_agent_url !== undefined && { brand_agent_url }),
  };
}

/** The agent that speaks for a brand: by the member of its own, or the one of type `brand` among several. */
export function agentUrlOf(json: JsonObject): string | undefined {
  const { brand_agent, agents } = json;
  const one = isObject(brand_agent) ? brand_agent : listOf(agents).find((agent) => agent['type'] === 'brand');
  const url = one?.['url'];
  return typeof url === 'string' && url.length <= 2_000 && /^https?:\/\//i.test(url) ? url : undefined;
}

/** A portfolio as far as resolution reads it. */
export interface Portfolio {
  house_domain: string;
  house_name: string | undefined;
  house: JsonObject;
  brands: JsonObject[];
  refs: { domain: string; brand_id: string | undefined; effective_at: number }[];
}

/** The portfolio of the house at this domain; undefined for one that names another: nobody speaks for a house but its own domain. */
export function portfolioAt(domain: string, json: JsonObject): Portfolio | undefined {
  const house = isObject(json['house']) ? json['house'] : {};
  if (domainOf(house['domain']) !== domain) return undefined;
  const refs = listOf(json['brand_refs']).flatMap((ref) => {
    const at = domainOf(ref['domain']);
    // What is no time is NaN, which is never past.
    const effective_at = ref['effective_at'] === undefined ? -Infinity : timeOf(ref['effective_at']);
    return at === undefined ? [] : [{ domain: at, brand_id: textOf(ref['brand_id']), effective_at }];
  });
  const house_name = textOf(house['name']) ?? factsOf(house).name;
  return { house_domain: domain, house_name, house, brands: listOf(json['brands']), refs };
}

/** Whether a brand says that a site is its own: other relationships are ways to sell it. */
export function ownsSite(brand: JsonObject, domain: string): boolean {
  return sitesOf(brand).includes(domain);
}

/** The domain a brand is at: its primary site, else its first. */
export function siteOf(brand: JsonObject): string | undefined {
  return sitesOf(brand)[0];
}

function sitesOf(brand: JsonObject): string[] {
  const own = listOf(brand['properties']).filter(
    ({ type, relationship = 'owned' }) => type === 'website' && relationship === 'owned',
  );
  const sorted = [...own.filter(({ primary }) => primary === true), ...own.filter(({ primary }) => primary !== true)];
  const sites = sorted.map(({ identifier }) => domainOf(identifier));
  return [...sites, domainOf(brand['url'])].filter((site) => site !== undefined);
}

/** A domain by rule R1. */
export function domainOf(value: unknown): string | undefined {
  return typeof value === 'string' ? normalizeDomain(value)?.domain : undefined;
}

function timeOf(value: unknown): number {
  return typeof value === 'string' ? Date.parse(value) : NaN;
}

function listOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function isName(name: JsonObject): name is Record<string, string> {
  const texts = Object.values(name);
  return texts.length > 0 && texts.every((text) => textOf(text) !== undefined);
}

/** In English where there is such a one. */
function mainName(names: readonly Record<string, string>[]): string | undefined {
  const english = names.flatMap((name) => Object.entries(name)).find(([language]) => /^en(?:[-_]|$)/i.test(language));
  return english?.[1] ?? (names[0] && Object.values(names[0])[0]);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' && value.length <= MOST_TEXT ? value : undefined;
}
