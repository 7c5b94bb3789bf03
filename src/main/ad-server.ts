import { join } from 'node:path';
import { createAdServerSimulator } from '../adservers/simulator/ad-server-simulator.ts';
import { createRinger } from '../adservers/simulator-http/ringer.ts';
import { ringingSimulator } from '../adservers/simulator-http/ringing-simulator.ts';
import { createSimulatorApp } from '../adservers/simulator-http/simulator-app.ts';
import { systemClock } from '../platform/clock.ts';
import { loadOrCreateSecret, secrets } from '../platform/crypto/secret.ts';
import type { Logger } from '../platform/log.ts';
import { createOutbound } from '../platform/outbound/outbound-client.ts';
import type { Outbound } from '../platform/outbound/outbound-client.ts';
import { createEmbeddedStore } from '../platform/store/sqlite/collection-embedded.ts';
import type { Config } from './config/config-shape.ts';
import { opening } from './process/closers.ts';
import { closedDataDir } from './process/data-dir.ts';
import { listen } from './process/listen.ts';
import { runProcess } from './process/process.ts';
import { isJsonWanted, printLine } from './process/ready.ts';
import { callProof } from './wiring/call-proof.ts';

/** How often it looks whether time has brought something to ring for, in milliseconds. */
const RINGS_EVERY_MS = 250;

/** The simulated ad server as a process of its own, behind the HTTP bridge, with a store of its own. */
await runProcess({ allowLoopback: true }, (config, log) =>
  opening(async (closers) => {
    await closedDataDir(config.dataDir);
    const file = join(config.dataDir, 'ad-server.db');
    const store = createEmbeddedStore({ file, logger: log });
    closers.add(() => store.close());
    const made = createAdServerSimulator({
      ...{ store, clock: systemClock, clockSpeed: config.simSpeed, abilities: config.simulator },
    });
    store.collection(secrets);
    await store.prepare();
    const token = config.adServerToken ?? (await loadOrCreateSecret(store, systemClock, 'ad-server'));
    const listening = await listen(config.host, config.adServerPort, { setting: 'AD_SERVER_PORT' });
    closers.add(() => listening.stop());
    const outbound = createOutbound({ allowLoopback: true, trustsUrls: true });
    closers.add(() => outbound.close());
    const { simulator, stop } = ringing(made, config, { token, outbound, log });
    closers.add(stop);
    const { adServerVerify } = config;
    const verify = adServerVerify === undefined ? undefined : callProof(adServerVerify, outbound);
    listening.answer(createSimulatorApp(simulator, { token, log, ...(verify && { verify }) }));
    announce({ url: listening.url, token, speed: config.simSpeed, store: file });
    return { stop: () => closers.close() };
  }),
);

/** The simulator, which rings the agent of the settings, if there is one. */
function ringing(
  simulator: ReturnType<typeof createAdServerSimulator>,
  { adServerRings: url, simSpeed: clockSpeed }: Config,
  way: { token: string; outbound: Outbound; log: Logger },
): { simulator: typeof simulator; stop: () => Promise<void> } {
  if (url === undefined) return { simulator, stop: () => Promise.resolve() };
  const ringer = createRinger({ url, ...way });
  const ringing = ringingSimulator(simulator, { clockSpeed, ring: (id) => ringer.ring(id) });
  const timer = setInterval(() => {
    ringing.ringDue();
  }, RINGS_EVERY_MS);
  return {
    simulator: ringing.simulator,
    async stop() {
      clearInterval(timer);
      ringer.close();
      await ringing.idle();
    },
  };
}

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
