import { createHttpAdServer } from '../../adservers/http/http-ad-server.ts';
import type { HttpAdServerOptions } from '../../adservers/http/http-ad-server.ts';
import { createAdServerSimulator } from '../../adservers/simulator/ad-server-simulator.ts';
import { describeSimulator, inventoryOf } from '../../adservers/simulator/description.ts';
import { systemClock } from '../../platform/clock.ts';
import type { Clock } from '../../platform/clock.ts';
import { createOutbound } from '../../platform/outbound/outbound-client.ts';
import type { DestinationGate, GateSettings } from '../../platform/redis/destination-gate.ts';
import type { Store } from '../../platform/store/collection.ts';
import { AdServerHealths } from '../../sales/ad-order/breaker.ts';
import { AD_SERVER_GATE, limitedAdServer } from '../../sales/ad-order/limited.ts';
import type { AdServer } from '../../sales/ad-server/ad-server.ts';
import { configuredAdServer } from '../config/ad-servers-file.ts';
import type { ConfiguredAdServer } from '../config/ad-server-source.ts';
import type { Config } from '../config/config-shape.ts';
import type { SteeredAdServer } from '../../sales/ad-server/steered-ad-server.ts';
import type { AskedAdServer } from './ad-server-watch.ts';

/** The ad server that this installation's orders go to. */
export interface OpenAdServer {
  id: string;
  adServer: AdServer;
  /** It is the embedded simulator: whatever is ordered costs nobody anything. */
  isSimulated: boolean;
  /** Steers it, for tests of the public protocol; the embedded simulator alone has it. */
  steered?: SteeredAdServer;
  /** Who may ring, and by what; nobody where orders do not leave the house. */
  ringers: readonly { id: string; token: string }[];
  close(): Promise<void>;
}

export interface AdServerDependencies {
  store: Store;
  clock: Clock;
  /** What all processes share to call it no more often than it bears. */
  openGate: (settings: Partial<GateSettings>) => DestinationGate;
  /** Proves its calls, where the settings ask for it. */
  sign: NonNullable<HttpAdServerOptions['sign']>;
}

type SimulatorConfig = Pick<Config, 'adServer' | 'simSpeed' | 'simulator'> & Partial<Pick<Config, 'outboundProxy'>>;

/**
 * The ad server that the settings name. Asks it nothing: it may be away.
 * @throws {ConfigError} for settings, or a file of theirs, that name none.
 */
export function openAdServer(
  { adServer, simSpeed, simulator: abilities, outboundProxy: proxy }: SimulatorConfig,
  { store, clock, openGate, sign }: AdServerDependencies,
): OpenAdServer {
  const configured = configuredAdServer(adServer);
  if (configured.adapter === 'http') {
    const { id, token } = configured;
    const elsewhere = overHttp(configured, { clock, sign, proxy });
    const gate = openGate(AD_SERVER_GATE);
    // How often it bears to be called is a matter of real time, whatever clock orders go by.
    const health = store.collection(AdServerHealths);
    const isAway = async () => (await health.get(id))?.state === 'open';
    const { adServer: far } = elsewhere;
    const limited = limitedAdServer({ adServer: far, ad_server_id: id, gate, clock: systemClock, isAway });
    const close = () => {
      limited.close();
      return elsewhere.close();
    };
    return { id, isSimulated: false, adServer: limited.adServer, ringers: [{ id, token }], close };
  }
  const simulator = createAdServerSimulator({ store, clock, clockSpeed: simSpeed, abilities });
  return {
    id: configured.id,
    isSimulated: true,
    ringers: [],
    adServer: simulator,
    steered: {
      moveAhead: (media_buy_id, aheadMs) => simulator.controls.moveAhead(media_buy_id, aheadMs),
      deliver: (restate) => simulator.controls.take({ restate }),
    },
    close: () => Promise.resolve(),
  };
}

/**
 * Asks the ad server of the settings what it can do and has, without a store to open; closes what it has opened.
 * @throws {ConfigError} like {@link openAdServer}, and whatever `use` throws.
 */
export async function withDescription<T>(
  { adServer, simSpeed, simulator: abilities, outboundProxy: proxy }: SimulatorConfig,
  { clock }: Pick<AdServerDependencies, 'clock'>,
  use: (id: string, adServer: AskedAdServer) => Promise<T>,
): Promise<T> {
  const configured = configuredAdServer(adServer);
  if (configured.adapter === 'simulator') {
    return use(configured.id, {
      describe: () => Promise.resolve(describeSimulator(simSpeed, abilities)),
      inventory: () => Promise.resolve({ items: inventoryOf(abilities) }),
    });
  }
  const elsewhere = overHttp(configured, { clock, proxy });
  try {
    return await use(configured.id, elsewhere.adServer);
  } finally {
    await elsewhere.close();
  }
}

function overHttp(
  { url, token, sign: isSigned }: Extract<ConfiguredAdServer, { adapter: 'http' }>,
  {
    clock,
    sign,
    proxy,
  }: Pick<AdServerDependencies, 'clock'> &
    Partial<Pick<AdServerDependencies, 'sign'>> & { proxy: Config['outboundProxy'] },
): Pick<OpenAdServer, 'adServer' | 'close'> {
  // The address is the operator's own, and an ad server is often beside the agent.
  const outbound = createOutbound({ allowLoopback: true, trustsUrls: true, proxy });
  const proof = isSigned === true && sign !== undefined && { sign };
  return { adServer: createHttpAdServer({ url, token, outbound, clock, ...proof }), close: () => outbound.close() };
}
