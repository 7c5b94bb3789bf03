import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHttpAdServer } from '../../../../src/adservers/http/http-ad-server.ts';
import { bridgedSimulatorWorld } from '../../../../src/adservers/kit/simulator-world.ts';
import type { KitSubject } from '../../../../src/adservers/kit/stage.ts';
import { steerOverHttp } from '../../../../src/adservers/kit/steer-over-http.ts';
import { createAdServerSimulator } from '../../../../src/adservers/simulator/ad-server-simulator.ts';
import { createSimulatorApp } from '../../../../src/adservers/simulator-http/simulator-app.ts';
import type { Clock } from '../../../../src/platform/clock.ts';
import { createOutbound } from '../../../../src/platform/outbound/outbound-client.ts';
import { installation, silent } from '../../../directory/support/installation.ts';
import { SIMULATOR_ROWS } from './embedded-subject.ts';

export const TOKEN = 'kit-token_0123456789';
/** Long enough for a slow machine; a delay that is beyond it takes a third of the real one. */
const CALL_TIMEOUT_MS = 10_000;

/** A simulator as its own process has it, on loopback, in whose puts each native write is one of its own. */
export async function serveSimulator(clock: Clock) {
  const at = await installation(SIMULATOR_ROWS);
  const simulator = createAdServerSimulator({ store: at.store, clock, nativeWrites: 'one_by_one' });
  const server = createServer(createSimulatorApp(simulator, { token: TOKEN, log: silent }));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    simulator,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
      await at.close();
    },
  };
}

/** The kit's subject: the bridge to a simulator, which is steered over HTTP as well. */
export async function openBridged(clock: Clock): Promise<KitSubject & { close: () => Promise<void> }> {
  const served = await serveSimulator(clock);
  const { simulator, url } = served;
  const outbound = createOutbound({ allowLoopback: false, trustsUrls: true });
  const now = () => simulator.controls.now();
  const bridge = { url, token: TOKEN, outbound, clock: { now }, callTimeoutMs: CALL_TIMEOUT_MS };
  await createHttpAdServer(bridge).describe();
  const steered = await steerOverHttp(bridge);
  const world = bridgedSimulatorWorld(steered.simulator, { callTimeoutMs: CALL_TIMEOUT_MS });
  return {
    open: () => createHttpAdServer(bridge),
    clock: { now },
    world: { ...world, look: async (...names) => (await simulator.controls.look(...names)) ?? {} },
    close: async () => {
      await outbound.close();
      await served.close();
    },
  };
}
