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
import type { Outbound } from '../../../../src/platform/outbound/outbound-client.ts';
import { installation, silent } from '../../../directory/support/installation.ts';
import { SIMULATOR_ROWS } from './embedded-subject.ts';

export const TOKEN = 'kit-token_0123456789';
/** Long enough for a slow machine. */
const PATIENT_MS = 240_000;
/** What stands for the 30 s that a caller waits, and for an answer that comes later. */
const [LIMIT_MS, TOO_LATE_MS] = [2_000, 4_000];

/** A simulator as its own process has it, on loopback, in whose puts each native write may be one of its own. */
export async function serveSimulator(clock: Clock, nativeWrites: 'together' | 'one_by_one') {
  const at = await installation(SIMULATOR_ROWS);
  const simulator = createAdServerSimulator({ store: at.store, clock, nativeWrites });
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
  const served = await serveSimulator(clock, 'one_by_one');
  const { simulator, url } = served;
  const client = createOutbound({ allowLoopback: false, trustsUrls: true });
  let limitMs = PATIENT_MS;
  const outbound: Pick<Outbound, 'send'> = { send: (request) => client.send({ ...request, totalTimeoutMs: limitMs }) };
  const now = () => simulator.controls.now();
  const bridge = { url, token: TOKEN, outbound, clock: { now } };
  await createHttpAdServer(bridge).describe();
  const steered = await steerOverHttp({ ...bridge, outbound: client });
  const world = bridgedSimulatorWorld(steered.simulator);
  return {
    open: () => createHttpAdServer(bridge),
    clock: { now },
    world: {
      ...world,
      calm: async () => {
        limitMs = PATIENT_MS;
        await world.calm();
      },
      delay: async (ms) => {
        const isTooLate = ms > 30_000;
        if (isTooLate) limitMs = LIMIT_MS;
        await world.delay(isTooLate ? TOO_LATE_MS : ms);
      },
      look: async (...names) => (await simulator.controls.look(...names)) ?? {},
    },
    close: async () => {
      await client.close();
      await served.close();
    },
  };
}
