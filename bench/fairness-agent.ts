import { apiKeys, registerApiKey } from '../src/directory/api-key/api-key.ts';
import { ensureBootstrapKey, ensureDemoOrganization } from '../src/directory/bootstrap.ts';
import { readConfig } from '../src/main/config/config.ts';
import { startServer } from '../src/main/wiring/start-server.ts';
import { startWork } from '../src/main/wiring/worker-process.ts';
import { createLogger } from '../src/platform/log.ts';

/** A server and a worker in one process, with a key for each of two organizations; one line of JSON when it is ready. */
const log = createLogger('error');
const [busy = '', calm = ''] = process.argv.slice(2);
const server = await startServer(readConfig(process.env, { allowLoopback: true }), log);
const { core } = server;
const { organization_id } = await ensureDemoOrganization(core);
await registerApiKey({ ...core, keys: core.store.collection(apiKeys) }, busy, { organization_id, name: 'Bench' });
await ensureBootstrapKey(core, calm);
const work = startWork(core);
process.on('SIGTERM', () => {
  void work
    .stop()
    .then(() => server.stop())
    .then(() => process.exit(0));
});
console.log(JSON.stringify({ base_url: core.baseUrl }));
