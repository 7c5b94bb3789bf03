import type { JsonObject } from '../../../platform/json-object.ts';
import type { Catalog } from '../../../sales/catalog.ts';
import { filterProducts, ProductFilters } from '../../../sales/product/filters.ts';
import { pageOf } from '../../../tasks/paging.ts';
import { feedVersionsOf } from '../get-products/feed-version.ts';
import { ourFilters, passes, unmetFilters } from '../get-products/filters.ts';
import { NOT_HELD_AGAINST } from '../get-products/not-held-against.ts';
import type { TranslatorSources } from '../sources.ts';
import { translator } from '../translator.ts';
import type { Translated, Translating, Translator } from '../translator.ts';
import { assertAccountKnown } from '../accounts.ts';
import { refuseUnsupported } from '../unsupported.ts';
import { listedProduct } from './product.ts';
import { AdcpListProductsRequest } from './schema.ts';

/** What products cannot be held against here, and would have to be. */
const NO_CRITERIA = {
  ...NOT_HELD_AGAINST,
  catalog: 'nothing is made of catalogs here',
  policy_ids: 'products are of no policies here',
  outcome_target: 'products are not looked for by what comes of them here',
};

const DEFAULT_PAGE = 25;

/** What 3.2 has in place of `get_products` in mode `wholesale`: the catalog page by page, in canonical words. */
export function adcpListProducts(sources: TranslatorSources): Translator {
  const { catalog } = sources;
  const versions = feedVersionsOf(catalog);
  return translator<AdcpListProductsRequest>({
    skill: 'list_products',
    task: 'get_products',
    since: '3.2',
    leavesOut: ['adcp_version', 'status'],
    title: 'List products',
    description:
      'Lists what is for sale, page by page, with canonical formats and prices, in 3.2. buy_products takes the feed_version of the list.',
    tags: ['media-buy', 'discovery'],
    mutates: false,
    examples: [],
    input: AdcpListProductsRequest,
    async in(request, context) {
      await assertAccountKnown(sources, context.caller, request.account);
      const hasApproval = await sources.mayAskPerson(context.caller.organization_id);
      return asked(request, { ...context, catalog, feed_version: versions(hasApproval).wholesale_feed_version });
    },
    async out(_result, { extra, caller, release }) {
      const hasApproval = await sources.mayAskPerson(caller.organization_id);
      const { fields, is_unchanged, unmet, page, next_cursor } = extra as unknown as Shown;
      const told = { feed_version: versions(hasApproval).wholesale_feed_version, cache_scope: 'account' };
      if (is_unchanged) return { outcome: 'unchanged', ...told };
      const products = page.flatMap((product_id) => catalog.products.get(product_id) ?? []);
      return {
        outcome: 'listed',
        products: products.map((product) => listedProduct(product, { catalog, release, fields, hasApproval })),
        ...(next_cursor !== undefined && { next_cursor }),
        ...told,
        ...(unmet.length > 0 && { ext: { unmet_filters: unmet } }),
      };
    },
    fields: { filters: 'criteria.offer_filters', cursor: 'cursor' },
  });
}

interface Shown {
  fields?: string[];
  is_unchanged: boolean;
  /** Filters that nothing which is sold here can be shown to meet. */
  unmet: string[];
  /** The products of the page, by id. */
  page: string[];
  next_cursor?: string;
}

/**
 * The page is made here, since our own task has no filter for most of what is asked: so pages are full. The task says what is wrong with
 * those that it has.
 * @throws {AppError} `INVALID_REQUEST` for a cursor that no such list gave.
 */
function asked(
  request: AdcpListProductsRequest,
  { catalog, feed_version, release, nowMs }: Translating & { catalog: Catalog; feed_version: string },
): Translated {
  const { criteria = {}, fields, cursor, max_results: limit = DEFAULT_PAGE, if_feed_version } = request;
  refuseUnsupported(criteria, NO_CRITERIA, { at: 'criteria.' });
  const { product_ids, offer_filters = {} } = criteria;
  const filters = ourFilters(offer_filters);
  const known = ProductFilters.safeParse(filters).data;
  const unmet = unmetFilters(offer_filters);
  const wanted = product_ids && new Set(product_ids);
  const all = known === undefined || unmet.length > 0 ? [] : filterProducts(catalog, known);
  const fitting = all.filter(
    (product) =>
      (wanted?.has(product.product_id) ?? true) && passes(product, offer_filters, { catalog, release, nowMs }),
  );
  const of = ['list_products', plain({ product_ids, offer_filters })];
  const { items, cursor: next_cursor } = pageOf(fitting, { limit, cursor, of, keyOf: ({ product_id }) => product_id });
  const page = items.map(({ product_id }) => product_id);
  const extra = { fields, unmet, is_unchanged: if_feed_version === feed_version, page, next_cursor };
  return { input: { brief: '', filters, limit: 1 }, extra: plain(extra) };
}

/** Without what is undefined. */
function plain(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}
