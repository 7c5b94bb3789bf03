import { inlineTask } from '../../runtime/task-definition.ts';
import type { TaskDefinition } from '../../runtime/task-definition.ts';
import { readBrand } from '../../sales/brand/brand.ts';
import { filterProducts } from '../../sales/product/filters.ts';
import { rankAll } from '../../sales/product/rank-all.ts';
import type { TaskDependencies } from '../dependencies.ts';
import { pageEnd, pageOf } from '../paging.ts';
import { GetProductsRequest, GetProductsResponse, ownWords } from './schema.ts';

/**
 * Finds what is for sale and ranks it by the brief (rules B8, C.tasks.get_products). What the ranker leaves out comes last, so
 * that a brief hides nothing.
 */
export function getProducts(deps: TaskDependencies): TaskDefinition {
  return inlineTask<GetProductsRequest>({
    name: 'get_products',
    title: 'Get products',
    description:
      'Finds advertising products by a brief in plain words and by filters, best match first, with the reason. Each has the product_id and pricing_options that create_media_buy takes. A brief may come as text alone.',
    tags: ['media-buy', 'discovery'],
    examples: [
      {
        title: 'A brief with filters',
        input: {
          brief: 'Video and CTV for outdoor enthusiasts in the US, launching trail-running shoes this spring',
          filters: { channels: ['video', 'ctv'], budget_range: { max: 50_000 } },
        },
      },
    ],
    scope: 'tasks:read',
    takesText: true,
    input: GetProductsRequest,
    output: GetProductsResponse,
    async answer({ brief, brand_manifest, filters, limit, cursor }) {
      const candidates = filterProducts(deps.catalog, filters);
      const brand = brand_manifest && (await readBrand(deps.outbound, brand_manifest));
      const wanted = { brief, ...(brand && { brand: brand.text }) };
      // A first page needs no order beyond its end.
      const asked = { ...wanted, ...(cursor === undefined && { limit }) };
      const ranked = await rankAll(deps.ranker, asked, candidates);
      const page = pageOf(ranked, {
        limit,
        cursor,
        // With the brand's own words: those at a URL may have changed since, and the order with them.
        of: ['get_products', wanted, filters],
        keyOf: ({ product }) => product.product_id,
      });
      const products = page.items.map(({ product, score, match_reason }) => ({
        ...{ ...ownWords(product), score, match_reason },
      }));
      const told = brand && { read_from: brand.read_from, ...(brand.note !== undefined && { note: brand.note }) };
      const result: GetProductsResponse = {
        products,
        total_matching: candidates.length,
        ...pageEnd(page.cursor),
        ...(told !== undefined && { brand: told }),
      };
      const isLed = ranked.some(({ score }) => score !== null);
      return { result, message: messageOf(brief, isLed, `${products.length} of ${candidates.length} products`) };
    },
  });
}

/** Says how the words were taken, and does not call a match what is none. */
function messageOf(brief: string, isLed: boolean, shown: string): string {
  if (brief.trim() === '') return shown;
  return `taken as a brief: ${isLed ? `${shown}, best match first` : `it leads to none; ${shown} that pass the filters`}`;
}
