import { inlineTask } from '../../runtime/task-definition.ts';
import type { TaskDefinition } from '../../runtime/task-definition.ts';
import { readBrand } from '../../sales/brand/brand.ts';
import { filterProducts } from '../../sales/product/filters.ts';
import type { TaskDependencies } from '../dependencies.ts';
import { GetProductsRequest, GetProductsResponse } from './schema.ts';

/** An answer holds at most this many products; a longer list helps no planner and weighs on every message. */
const MAX_PRODUCTS = 50;

/** Finds what is for sale and ranks it by the brief (rule C.tasks.get_products). */
export function getProducts(deps: TaskDependencies): TaskDefinition {
  return inlineTask<GetProductsRequest>({
    name: 'get_products',
    title: 'Get products',
    description:
      'Finds advertising products by a brief in plain words and by filters, best match first, with the reason.',
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
    input: GetProductsRequest,
    output: GetProductsResponse,
    async answer({ brief, brand_manifest, filters }) {
      const candidates = filterProducts(deps.catalog, filters);
      const brand = brand_manifest && (await readBrand(deps.outbound, brand_manifest));
      const wanted = { brief, limit: MAX_PRODUCTS, ...(brand && { brand: brand.text }) };
      const ranked = await deps.ranker.rank(wanted, candidates);
      const products = ranked
        .slice(0, MAX_PRODUCTS)
        .map(({ product, score, match_reason }) => ({ ...product, score, match_reason }));
      const told = brand && { read_from: brand.read_from, ...(brand.note !== undefined && { note: brand.note }) };
      const result: GetProductsResponse = {
        products,
        total_matching: candidates.length,
        ...(told !== undefined && { brand: told }),
      };
      return { result, message: `${products.length} of ${candidates.length} matching products` };
    },
  });
}
