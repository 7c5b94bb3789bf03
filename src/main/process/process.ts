import { createLogger } from '../../platform/log.ts';
import type { Logger } from '../../platform/log.ts';
import { within } from '../../platform/within.ts';
import { CatalogError } from '../../sales/catalog.ts';
import { ConfigError } from '../config/config-error.ts';
import { readConfig } from '../config/config.ts';
import type { ConfigDefaults } from '../config/config.ts';
import type { Config } from '../config/config-shape.ts';
import { AdServerMisfit } from '../wiring/ad-server-watch.ts';
import { closeNewFiles } from './data-dir.ts';

/** So long after it has drained, stopping has failed and the process ends anyway; what was owed is taken up by the next one. */
const STOP_WITHIN_MS = 9_000;

/** What comes within so many milliseconds of the first signal is the same word, passed on by npm and process managers. */
const SAME_WORD_MS = 1_000;

export interface Started {
  /** Stops everything that was started, in order. */
  stop(): Promise<void>;
}

/**
 * The life of a process, none of whose files others may read: reads the environment, starts, waits for SIGINT or SIGTERM, stops cleanly. A signal in the middle
 * of starting stops it as soon as it has started; told again while it stops, it ends at once, with exit status 1. What goes wrong is told in plain words; mistakes in the environment, on
 * the command line and in the catalog, and what does not fit the ad server, once, without a log line, and with exit status 2.
 */
export async function runProcess(
  defaults: ConfigDefaults,
  start: (config: Config, log: Logger) => Promise<Started>,
): Promise<void> {
  closeNewFiles();
  const { first: stopping, again } = signals();
  let log: Logger | undefined;
  try {
    const config = readConfig(process.env, defaults);
    log = createLogger(config.logLevel);
    const starting = start(config, log);
    await Promise.race([starting, stopping]);
    const signal = await stopping;
    log.info({ signal }, 'stopping');
    const stopped = starting.then((started) => started.stop());
    await Promise.race([withinTime(config.drainMs + STOP_WITHIN_MS, stopped), again.then(endAtOnce)]);
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
  return signals().first;
}

/** The first signal to stop, and the first that is no echo of it. */
function signals(): { first: Promise<NodeJS.Signals>; again: Promise<NodeJS.Signals> } {
  let askedAt: number | undefined;
  let [asked, askedAgain] = [
    (_signal: NodeJS.Signals): void => undefined,
    (_signal: NodeJS.Signals): void => undefined,
  ];
  const first = new Promise<NodeJS.Signals>((resolve) => (asked = resolve));
  const again = new Promise<NodeJS.Signals>((resolve) => (askedAgain = resolve));
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      askedAt ??= performance.now();
      asked(name);
      if (performance.now() - askedAt >= SAME_WORD_MS) askedAgain(name);
    });
  }
  return { first, again };
}

function endAtOnce(signal: NodeJS.Signals): never {
  throw new Error(`${signal} again while stopping; ending at once`);
}

function withinTime(ms: number, work: Promise<void>): Promise<void> {
  return within(ms, work, () => {
    throw new Error(`not stopped within ${ms} ms; ending anyway`);
  });
}
