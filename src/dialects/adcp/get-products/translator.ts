import { invalidRequest } from '../../../platform/errors.ts';
import { isObject } from '../../../platform/json-object.ts';
import type { JsonObject } from '../../../platform/json-object.ts';
import type { GetProductsResponse } from '../../../tasks/get-products/schema.ts';
import { pageAsked, pagination } from '../pagination.ts';
import { brandManifest } from '../refs.ts';
import { projected } from '../projected.ts';
import { translator } from '../translator.ts';
import type { Translated, Translator } from '../translator.ts';
import type { TranslatorSources } from '../sources.ts';
import { feedVersionsOf } from './feed-version.ts';
import type { FeedVersions } from './feed-version.ts';
import { filterDiagnostics } from './diagnostics.ts';
import { ourFilters, passes, unmetFilters } from './filters.ts';
import { assertAccountKnown } from '../accounts.ts';
import { refuseUnsupported } from '../unsupported.ts';
import { NOT_OF_PRODUCTS } from './not-held-against.ts';
import { productOf, PRODUCT_ALWAYS } from './product.ts';
import { keptAfter, refinementApplied } from './refine.ts';
import { AdcpGetProductsRequest } from './schema.ts';

/** Finds what is for sale: by a brief, the whole catalog page by page, or by wishes about products answered before. */
export function adcpGetProducts(sources: TranslatorSources): Translator {
  const { catalog } = sources;
  const versionsFor = feedVersionsOf(catalog);
  return translator<AdcpGetProductsRequest>({
    skill: 'get_products',
    task: 'get_products',
    title: 'Get products',
    description: 'Finds advertising products by a brief, lists the whole catalog, or refines an earlier answer.',
    tags: ['media-buy', 'discovery'],
    mutates: false,
    tellsSandbox: true,
    examples: [{ buying_mode: 'brief', brief: 'video for outdoor enthusiasts in the US this spring' }],
    input: AdcpGetProductsRequest,
    async in(request, { caller }) {
      await assertAccountKnown(sources, caller, request.account);
      refuseUnsupported(request, NOT_OF_PRODUCTS);
      return asked(request);
    },
    async out(result, { extra, caller, release, nowMs }) {
      const hasApproval = await sources.mayAskPerson(caller.organization_id);
      const versions = versionsFor(hasApproval);
      const request = extra as unknown as AdcpGetProductsRequest;
      const { buying_mode: mode = 'brief', filters = {}, refine = [], fields } = request;
      const { is_asked: isAsked = {} } = extra as Shown;
      const isWholesale = mode === 'wholesale';
      if (isWholesale && release !== '3.0' && isUnchanged(request, versions)) return { unchanged: true, ...versions };
      const { products, total_matching } = result as unknown as GetProductsResponse;
      const unmet = unmetFilters(filters);
      const shown =
        unmet.length > 0
          ? []
          : keptAfter(
              refine,
              products.filter((product) => passes(product, filters, { catalog, release, nowMs })),
            );
      const isWhole = shown.length === products.length;
      const diagnostics = release === '3.0' ? undefined : filterDiagnostics(filters, { catalog, release, nowMs });
      return {
        products: shown.map((product) =>
          projected(productOf(product, catalog, { mode, release, hasApproval }), fields, PRODUCT_ALWAYS),
        ),
        ...(release !== '3.0' && { cache_scope: 'account' }),
        ...(mode === 'refine' && { refinement_applied: refinementApplied(refine, shown) }),
        ...(isWholesale && release !== '3.0' && versions),
        pagination: pagination(result, isWholesale && isWhole ? total_matching : undefined),
        ...(diagnostics && { filter_diagnostics: diagnostics }),
        // The protocol's own words for what products were not held against.
        ...(isAsked.property_list && { property_list_applied: false }),
        ...(isAsked.catalog && { catalog_applied: false }),
      };
    },
  });
}

/** What is stored of a request besides its own fields; of those of before it was told, nothing. */
interface Shown extends JsonObject {
  is_asked?: { property_list?: boolean; catalog?: boolean };
}

function asked(request: AdcpGetProductsRequest): Translated {
  const { buying_mode: mode = 'brief', brief, refine, brand, filters = {} } = request;
  if (mode === 'brief' && (brief === undefined || brief.trim() === '')) {
    throw invalidRequest('brief', 'say what you look for, or send buying_mode wholesale');
  }
  if (mode === 'wholesale' && brief !== undefined) throw invalidRequest('brief', 'leave it out of a wholesale request');
  if (mode === 'refine' && refine === undefined)
    throw invalidRequest('refine', 'say what is to change, entry by entry');
  if (mode !== 'refine' && refine !== undefined) throw invalidRequest('refine', 'send buying_mode refine with it');
  const wishes = (refine ?? []).flatMap(({ ask }) => ask ?? []);
  const input: JsonObject = {
    brief: mode === 'refine' ? wishes.join('. ').slice(0, 10_000) : (brief ?? ''),
    // Read from its own words, and not from the network: a domain is no manifest.
    ...(brand !== undefined && mode !== 'wholesale' && { brand_manifest: { name: brandManifest(brand)['name'] } }),
    filters: ourFilters(filters),
    ...(mode !== 'wholesale' && { limit: mode === 'refine' ? 100 : 50 }),
    ...pageAsked(request.pagination),
  };
  const { buying_mode, fields, if_wholesale_feed_version, if_pricing_version } = request;
  const is_asked = { property_list: isObject(request['property_list']), catalog: isObject(request['catalog']) };
  const extra = { buying_mode, refine, fields, filters, if_wholesale_feed_version, if_pricing_version, is_asked };
  return { input, extra: JSON.parse(JSON.stringify(extra)) as JsonObject };
}

function isUnchanged(request: AdcpGetProductsRequest, versions: FeedVersions): boolean {
  const { if_wholesale_feed_version: feed, if_pricing_version: pricing } = request;
  if (feed === undefined && pricing === undefined) return false;
  return (
    (feed === undefined || feed === versions.wholesale_feed_version) &&
    (pricing === undefined || pricing === versions.pricing_version)
  );
}
