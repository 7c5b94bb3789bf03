import type { BrandFailureCode } from '../../directory/brand/registry-brand.ts';
import type { JsonObject } from '../../platform/json-object.ts';
import { domainOf, variantOf } from './brand-json.ts';
import type { BrandVariant } from './brand-json.ts';
import { MOST_HOPS, NO_FORM, leadsTooFar } from './fetch-brand-file.ts';
import type { BrandFile, BrandFiles } from './look.ts';

type EndVariant = Exclude<BrandVariant, 'authoritative_location' | 'house_redirect'>;

/** Where the houses named one after another end: a file that is no house redirect, or why there is none. */
export type EndOfRedirects =
  | { kind: 'end'; domain: string; variant: EndVariant; json: JsonObject }
  | { kind: 'absent'; domain: string; status: number }
  | { kind: 'failed'; domain: string; code: BrandFailureCode; reason: string; status?: number };

/** Follows the house redirects from a domain on, over {@link MOST_HOPS} places at most, each once. */
export async function endOfRedirects(files: BrandFiles, start: string): Promise<EndOfRedirects> {
  const domains: string[] = [];
  const urls = new Set<string>();
  let hops = 0;
  for (let domain = start; ;) {
    const failed = (code: BrandFailureCode, reason: string): EndOfRedirects => ({
      kind: 'failed',
      domain,
      code,
      reason,
    });
    const circle = (what: string) =>
      failed('REDIRECT_LOOP', `brand.json leads in a circle: ${[...domains, what].join(' → ')}`);
    if (domains.includes(domain)) return circle(domain);
    domains.push(domain);
    const file = await files(domain);
    if (file.kind !== 'read') return { ...outcomeOf(file), domain };
    hops += file.chain.length - 1;
    for (const { url } of file.chain) {
      if (urls.has(url)) return circle(url);
      urls.add(url);
    }
    if (hops > MOST_HOPS) return { ...leadsTooFar(), domain };
    const json = file.chain.at(-1)?.value ?? {};
    const variant = variantOf(json);
    if (variant === undefined || variant === 'authoritative_location') return failed('INVALID_FILE', NO_FORM);
    if (variant !== 'house_redirect') return { kind: 'end', domain, variant, json };
    const house = domainOf(json['house']);
    if (house === undefined) return failed('INVALID_FILE', 'its house is no domain name');
    if (++hops > MOST_HOPS) return { ...leadsTooFar(), domain };
    domain = house;
  }
}

function outcomeOf(file: Exclude<BrandFile, { kind: 'read' }>) {
  if (file.kind === 'absent') return { kind: file.kind, status: file.status };
  const { kind, code, reason, status } = file;
  return { kind, code, reason, ...(status !== undefined && { status }) };
}
