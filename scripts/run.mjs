// Runs one of the commands of package.json: makes sure of Node, of the npm dependencies and that the product is built
// from the sources as they are, then imports the command's entry in this process. What is for development alone runs
// from its sources, by tsx. Plain JavaScript without dependencies, since it runs before `npm ci`.
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { entryOf } from '../bin/entry-of.mjs';
import { productBundle } from './bundle.mjs';
import { ensureDependencies, ensureNode, root } from './ensure-deps.mjs';

const ENTRIES = {
  start: 'src/main/start.ts',
  server: 'src/main/server.ts',
  worker: 'src/main/worker.ts',
  receiver: 'src/main/receiver.ts',
  'ad-server': 'src/main/ad-server.ts',
  demo: 'src/main/demo.ts',
  agent: 'src/main/agent.ts',
  'ad-server:kit': 'src/main/ad-server-kit.ts',
  bench: 'bench/index.ts',
  walk: 'test/walk/command.ts',
  fuzz: 'test/fuzz/command.ts',
  screenshots: 'test/screenshots/command.ts',
  'ad-server:outage': 'test/journeys/support/outage/command.ts',
  'conformance-agent': 'test/support/conformance/agent.ts',
};

const [asked = '', ...given] = process.argv.slice(2);
const { name: command, args } = asked === 'agent' ? entryOf(given) : { name: asked, args: given };
const entry = ENTRIES[command];
if (entry === undefined) {
  console.error(`usage: node scripts/run.mjs ${Object.keys(ENTRIES).join('|')} [arguments]`);
  process.exit(2);
}
ensureNode();
const isProduct = entry.startsWith('src/');
ensureDependencies({ dev: !isProduct });
const path = isProduct ? join(await productBundle(), basename(entry).replace('.ts', '.mjs')) : join(root, entry);

// The dependencies are for whoever may start this; what a command makes is for this account alone.
process.umask(0o077);

// What stands in the environment already comes first, even when it is empty.
const settings = join(root, '.env');
if (existsSync(settings)) process.loadEnvFile(settings);

process.argv = [process.argv[0], path, ...args];
if (!isProduct) (await import('tsx/esm/api')).register();
await import(pathToFileURL(path).href);
