import { join } from 'node:path';
import { createAdServerSimulator } from '../adservers/simulator/ad-server-simulator.ts';
import { createSimulatorApp } from '../adservers/simulator-http/simulator-app.ts';
import { systemClock } from '../platform/clock.ts';
import { loadOrCreateSecret, secrets } from '../platform/crypto/secret.ts';
import { createEmbeddedStore } from '../platform/store/sqlite/collection-embedded.ts';
import { opening } from './process/closers.ts';
import { listen } from './process/listen.ts';
import { runProcess } from './process/process.ts';
import { isJsonWanted, printLine } from './process/ready.ts';

/** The simulated ad server as a process of its own, behind the HTTP bridge, with a store of its own. */
await runProcess({ allowLoopback: true }, (config, log) =>
  opening(async (closers) => {
    const file = join(config.dataDir, 'ad-server.db');
    const store = createEmbeddedStore({ file, logger: log });
    closers.add(() => store.close());
    const simulator = createAdServerSimulator({
      ...{ store, clock: systemClock, clockSpeed: config.simSpeed, abilities: config.simulator },
    });
    store.collection(secrets);
    await store.prepare();
    const token = config.adServerToken ?? (await loadOrCreateSecret(store, systemClock, 'ad-server'));
    const listening = await listen(config.host, config.adServerPort, 'AD_SERVER_PORT');
    closers.add(() => listening.stop());
    listening.answer(createSimulatorApp(simulator, { token, log }));
    announce({ url: listening.url, token, speed: config.simSpeed, store: file });
    return { stop: () => closers.close() };
  }),
);

function announce({ url, token, speed, store }: { url: string; token: string; speed: number; store: string }): void {
  if (isJsonWanted()) {
    printLine({ ready: true, url, token, clock_speed: speed, store });
    return;
  }
  process.stdout.write(`simulated ad server ready

  bridge   ${url}   (described by ${url}/v1/openapi.json)
  token    ${token}
  clock    ${speed} times as fast as the wall clock
  store    ${store}
`);
}
