import { createHttpAdServer } from '../../adservers/http/http-ad-server.ts';
import { createAdServerSimulator } from '../../adservers/simulator/ad-server-simulator.ts';
import { describeSimulator, inventoryOf } from '../../adservers/simulator/description.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import { createOutbound } from '../../platform/outbound/outbound-client.ts';
import type { Store } from '../../platform/store/collection.ts';
import type { AdServer } from '../../sales/ad-server/ad-server.ts';
import { configuredAdServer } from '../config/ad-servers-file.ts';
import type { Config, ConfiguredAdServer } from '../config/config.ts';
import type { AskedAdServer } from './ad-server-watch.ts';

/** The ad server that this installation's orders go to. */
export interface OpenAdServer {
  id: string;
  adServer: AdServer;
  /** It is the embedded simulator: whatever is ordered costs nobody anything. */
  isSimulated: boolean;
  close(): Promise<void>;
}

export interface AdServerDependencies {
  store: Store;
  clock: Clock;
  log: Logger;
}

type SimulatorConfig = Pick<Config, 'adServer' | 'simSpeed' | 'simulator'>;

/**
 * The ad server that the settings name. Asks it nothing: it may be away.
 * @throws {ConfigError} for settings, or a file of theirs, that name none.
 */
export function openAdServer(
  { adServer, simSpeed, simulator: abilities }: SimulatorConfig,
  { store, clock, log }: AdServerDependencies,
): OpenAdServer {
  const configured = configuredAdServer(adServer);
  if (configured.adapter === 'http')
    return { id: configured.id, isSimulated: false, ...overHttp(configured, clock, log) };
  return {
    id: configured.id,
    isSimulated: true,
    adServer: createAdServerSimulator({ store, clock, clockSpeed: simSpeed, abilities }),
    close: () => Promise.resolve(),
  };
}

/**
 * Asks the ad server of the settings what it can do and has, without a store to open; closes what it has opened.
 * @throws {ConfigError} like {@link openAdServer}, and whatever `use` throws.
 */
export async function withDescription<T>(
  { adServer, simSpeed, simulator: abilities }: SimulatorConfig,
  { clock, log }: Omit<AdServerDependencies, 'store'>,
  use: (id: string, adServer: AskedAdServer) => Promise<T>,
): Promise<T> {
  const configured = configuredAdServer(adServer);
  if (configured.adapter === 'simulator') {
    return use(configured.id, {
      describe: () => Promise.resolve(describeSimulator(simSpeed, abilities)),
      inventory: () => Promise.resolve({ items: inventoryOf(abilities) }),
    });
  }
  const elsewhere = overHttp(configured, clock, log);
  try {
    return await use(configured.id, elsewhere.adServer);
  } finally {
    await elsewhere.close();
  }
}

function overHttp(
  { url, token }: Extract<ConfiguredAdServer, { adapter: 'http' }>,
  clock: Clock,
  logger: Logger,
): Pick<OpenAdServer, 'adServer' | 'close'> {
  // The address is the operator's own, and an ad server is often beside the agent.
  const outbound = createOutbound({ allowLoopback: true, trustsUrls: true, logger });
  return { adServer: createHttpAdServer({ url, token, outbound, clock }), close: () => outbound.close() };
}
