import { Command } from 'commander';
import { systemClock } from '../../platform/clock.ts';
import { loadCatalog } from '../../sales/catalog.ts';
import { readConfig } from '../config/config.ts';
import { addressOf } from '../process/listen.ts';
import { withDescription } from '../wiring/ad-server.ts';
import { AdServerMisfit, findMisfits } from '../wiring/ad-server-watch.ts';
import type { Terminal } from './session.ts';

/** `catalog …`: what is for sale, held against what can be delivered. Talks to no agent: it is for before the start, too. */
export function catalogCommands({ env, write }: Terminal): Command {
  const check = new Command('check')
    .description(
      'Read the catalog and the settings as a start would, and ask the ad server whether it can do what they promise.',
    )
    .option('--json', 'print the answer as one line of JSON')
    .action(async (options: { json?: true }) => {
      const config = readConfig(env, { allowLoopback: true });
      const baseUrl = config.publicUrl ?? addressOf(config.host, config.port);
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
  return new Command('catalog').description('What is for sale.').addCommand(check);
}
