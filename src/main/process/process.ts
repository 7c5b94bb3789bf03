import { createLogger } from '../../platform/log.ts';
import type { Logger } from '../../platform/log.ts';
import { within } from '../../platform/within.ts';
import { CatalogError } from '../../sales/catalog.ts';
import { ConfigError } from '../config/config-error.ts';
import { readConfig } from '../config/config.ts';
import type { Config, ConfigDefaults } from '../config/config.ts';
import { AdServerMisfit } from '../wiring/ad-server-watch.ts';
import { closeNewFiles } from './data-dir.ts';

/** After this long, stopping has failed and the process ends anyway; what was owed is taken up by the next one. */
const STOP_WITHIN_MS = 9_000;

export interface Started {
  /** Stops everything that was started, in order. */
  stop(): Promise<void>;
}

/**
 * The life of a process, none of whose files others may read: reads the environment, starts, waits for SIGINT or SIGTERM, stops cleanly. A signal in the middle
 * of starting stops it as soon as it has started. What goes wrong is told in plain words; mistakes in the environment, on
 * the command line and in the catalog, and what does not fit the ad server, once, without a log line, and with exit status 2.
 */
export async function runProcess(
  defaults: ConfigDefaults,
  start: (config: Config, log: Logger) => Promise<Started>,
): Promise<void> {
  closeNewFiles();
  const stopping = firstSignal();
  let log: Logger | undefined;
  try {
    const config = readConfig(process.env, defaults);
    log = createLogger(config.logLevel);
    const starting = start(config, log);
    await Promise.race([starting, stopping]);
    const signal = await stopping;
    log.info({ signal }, 'stopping');
    await withinTime(starting.then((started) => started.stop()));
    log.info('stopped');
    process.exitCode = 0;
  } catch (error) {
    if (!isMistake(error)) log?.fatal({ err: error }, 'ended by an error');
    process.stderr.write(`${messageOf(error)}\n`);
    process.exitCode = exitCodeOf(error);
  }
  process.exit();
}

/** What an error says to people. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** 2 for a mistake of the person who started the process, 1 for anything else. */
export function exitCodeOf(error: unknown): number {
  return isMistake(error) ? 2 : 1;
}

/** Whether what was written for the process to start with is wrong, each place of which its message names. */
function isMistake(error: unknown): boolean {
  return [ConfigError, CatalogError, AdServerMisfit].some((mistake) => error instanceof mistake);
}

/** npm passes a Ctrl-C on that the terminal has sent already, so more of the same mean nothing. */
export function firstSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        resolve(signal);
      });
    }
  });
}

function withinTime(work: Promise<void>): Promise<void> {
  return within(STOP_WITHIN_MS, work, () => {
    throw new Error(`not stopped within ${STOP_WITHIN_MS} ms; ending anyway`);
  });
}
