import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import { listProducts, showProduct } from '../../admin/operator/catalog/operations.ts';
import type { ProductRowView } from '../../admin/operator/catalog/operations.ts';
import { systemClock } from '../../platform/clock.ts';
import { loadCatalog } from '../../sales/catalog.ts';
import { FilterChannel } from '../../sales/product/filters.ts';
import { readConfig } from '../config/config.ts';
import { addressOf } from '../process/listen.ts';
import { withDescription } from '../wiring/ad-server.ts';
import { AdServerMisfit, findMisfits } from '../wiring/ad-server-watch.ts';
import { exportCatalog } from '../wiring/catalog-files.ts';
import { more, paged } from './paging.ts';
import type { PagingOptions } from './paging.ts';
import type { Run, Terminal } from './session.ts';
import { table } from './table.ts';

/** `catalog …`: what is for sale, held against what can be delivered. `check` and `export` talk to no agent: they are for before the start, too. */
export function catalogCommands({ env, write }: Terminal, run: Run): Command {
  const check = new Command('check')
    .description(
      'Read the catalog and the settings as a start would, and ask the ad server whether it can do what they promise.',
    )
    .option('--json', 'print the answer as one line of JSON')
    .action(async (options: { json?: true }) => {
      const { baseUrl, ...config } = settings(env);
      const catalog = await loadCatalog(config.catalogDir, { baseUrl });
      const { simSpeed } = config;
      const id = await withDescription(config, { clock: systemClock }, async (ad_server_id, adServer) => {
        const problems = await findMisfits({ catalog, ad_server_id, simSpeed }, adServer);
        if (problems.length > 0) throw new AdServerMisfit(ad_server_id, problems);
        return ad_server_id;
      });
      const found = { fits: true, ad_server_id: id, products: catalog.products.size, formats: catalog.formats.size };
      const text = `${found.products} products in ${found.formats} formats fit ad server ${id}.\n`;
      write(options.json === true ? `${JSON.stringify(found)}\n` : text);
    });
  const exported = new Command('export')
    .description('Write the files of the catalog that a start would read into a folder of your own, checked.')
    .requiredOption('--to <folder>', 'one that is empty, or not there yet')
    .option('--json', 'print the answer as one line of JSON')
    .action(async (options: { to: string; json?: true }) => {
      const { catalogDir, baseUrl } = settings(env);
      const folder = resolve(options.to);
      const { catalog, files } = await exportCatalog(catalogDir, folder, baseUrl);
      const made = { folder, files, products: catalog.products.size, formats: catalog.formats.size };
      const text = `${made.products} products in ${made.formats} formats, read back, in ${folder}: ${files.join(', ')}.\n`;
      write(
        options.json === true ? `${JSON.stringify(made)}\n` : `${text}A start reads them where CATALOG_DIR names it.\n`,
      );
    });
  return new Command('catalog')
    .description('What is for sale.')
    .addCommand(check)
    .addCommand(exported)
    .addCommand(
      run(
        paged(
          new Command('list')
            .description(listProducts.summary)
            .option('--brief <words>', 'as a buyer would ask')
            .addOption(new Option('--channel <channel>').choices(FilterChannel.options)),
        ),
        {
          ask: (client, _args, { brief, channel, limit, cursor }: Wishes) =>
            client.call(listProducts, { query: { brief, channel, limit, cursor } }),
          rows: (answer) => answer.products,
          show: (answer) => listed(answer.products) + more(answer),
        },
      ),
    )
    .addCommand(
      run(new Command('show').description(showProduct.summary).argument('<product_id>'), {
        ask: (client, [product_id]: [string]) => client.call(showProduct, { params: { product_id } }),
        show: (product) => `${JSON.stringify(product, null, 2)}\n`,
      }),
    );
}

/** As a start has them, by an address that need not be the one it will have. */
function settings(env: NodeJS.ProcessEnv) {
  const config = readConfig(env, { allowLoopback: true });
  return { ...config, baseUrl: config.publicUrl ?? addressOf(config.host, config.port) };
}

interface Wishes extends PagingOptions {
  brief?: string;
  channel?: string;
}

function listed(products: readonly ProductRowView[]): string {
  return table(
    ['PRODUCT', 'CHANNELS', 'DELIVERY', 'SCORE', 'NAME', 'WHY'],
    products.map(({ product_id, channels, delivery_type, score, name, match_reason }) => [
      ...[product_id, channels.join(', '), delivery_type, score?.toFixed(2) ?? '', name],
      score === null ? '' : match_reason,
    ]),
  );
}
