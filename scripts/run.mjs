// Runs one of the commands of package.json: makes sure of Node and of the npm dependencies, then imports the
// command's entry in this process. Plain JavaScript without dependencies, since it runs before `npm ci`.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
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
  'ad-server:outage': 'test/journeys/support/outage/command.ts',
  'conformance-agent': 'test/support/conformance/agent.ts',
};

const [command = '', ...args] = process.argv.slice(2);
const entry = ENTRIES[command];
if (entry === undefined) {
  console.error(`usage: node scripts/run.mjs ${Object.keys(ENTRIES).join('|')} [arguments]`);
  process.exit(2);
}
ensureNode();
ensureDependencies({ dev: entry.startsWith('bench') || entry.startsWith('test') });

// The dependencies are for whoever may start this; what a command makes is for this account alone.
process.umask(0o077);

// What stands in the environment already comes first, even when it is empty.
const settings = join(root, '.env');
if (existsSync(settings)) process.loadEnvFile(settings);

const path = join(root, entry);
process.argv = [process.argv[0], path, ...args];
const { register } = await import('tsx/esm/api');
register();
await import(pathToFileURL(path).href);
