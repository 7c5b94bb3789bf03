import { Channel } from '../../../sales/catalog-values.ts';
import { listProducts } from '../../operator/catalog/operations.ts';
import type { ConsolePage } from '../console-page.ts';
import type { Markup } from '../html/markup.ts';
import { PageTabs } from '../parts/page-tabs.tsx';
import { Pages, Tabs } from '../parts/paging.tsx';
import { priceOf } from '../parts/price-words.ts';
import { Table } from '../parts/table.tsx';
import { inWords, pageOfId, Said } from '../parts/words.tsx';

const CHOICES = ['all', ...Channel.options] as const;

const TABS = { products: '/catalog', properties: '/properties' } as const;

/** The catalog's lists. */
export function CatalogTabs({ chosen }: { chosen: keyof typeof TABS }): Markup {
  return <PageTabs label="What of the catalog" of={TABS} chosen={chosen} />;
}

/** What is for sale, and what a buyer's brief would find. */
export const catalogPage: ConsolePage = {
  path: '/catalog',
  menu: 'Catalog',
  async show({ query, read }) {
    const { brief, channel, cursor: at } = query;
    const asked = { brief, channel, cursor: at };
    const { products, total_matching, cursor } = await read(listProducts, { query: asked });
    const body = (
      <>
        <h1>Catalog</h1>
        <CatalogTabs chosen="products" />
        <form class="brief" method="get" action="/admin/catalog">
          <label>
            What would a brief find?
            <input name="brief" type="search" value={brief} maxlength={2000} />
          </label>
          {channel !== undefined && <input type="hidden" name="channel" value={channel} />}
          <button>Find</button>
        </form>
        <Tabs
          label="Which channel"
          path="/catalog"
          name="channel"
          choices={CHOICES}
          chosen={channel ?? 'all'}
          none="all"
          keeping={{ brief }}
        />
        <p class="quiet">{`${total_matching} products, in the order in which a buyer is answered.`}</p>
        <Table
          caption="Products"
          rows={products}
          empty="No product is sold there. The catalog is files: see CATALOG_DIR."
          columns={[
            {
              heading: 'Product',
              cell: (one) => (
                <a href={`/admin${pageOfId('/catalog', one.product_id)}`}>
                  <Said>{one.name}</Said>
                </a>
              ),
            },
            { heading: 'Channels', cell: (one) => one.channels.map(inWords).join(', ') },
            { heading: 'Delivery', cell: (one) => one.delivery_type.replaceAll('_', ' ') },
            { heading: 'Prices', cell: (one) => one.pricing_options.map(priceOf).join('; ') },
            { heading: 'Score', isNumber: true, cell: (one) => one.score?.toFixed(2) },
            { heading: 'Why', cell: (one) => brief !== undefined && <Said>{one.match_reason}</Said> },
          ]}
        />
        <Pages path="/catalog" query={query} cursor={cursor} />
      </>
    );
    return { title: 'Catalog', body };
  },
};
