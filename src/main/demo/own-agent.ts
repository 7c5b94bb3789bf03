import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { within } from '../../platform/within.ts';

const Ready = z.object({ ready: z.literal(true), base_url: z.string(), api_key: z.string() });

/** An agent that somebody runs, or one started here for the occasion. */
export interface AtHand {
  /** @throws {Error} when it ended before it was ready. */
  ready(): Promise<{ base_url: string; api_key: string }>;
  stop(): Promise<void>;
  /** Where its data is, if that is not where the settings say. */
  dataDir?: string;
}

/** What a throw-away agent must not take from the environment of the person at the terminal. */
const ITS_OWN = { MONGODB_URL: '', REDIS_URL: '', PUBLIC_URL: '', HOST: '', PORT: '0' };

/** An agent that does not stop by itself is ended after this many milliseconds. */
const STOP_WITHIN_MS = 9_500;

/**
 * Starts a fresh agent on a throw-away folder and a free port, as `npm start -- --json` does.
 * @param settings that go before those of the environment
 */
export async function startOwnAgent(settings: NodeJS.ProcessEnv = {}): Promise<AtHand> {
  const dataDir = await mkdtemp(join(tmpdir(), 'media-buy-agent-demo-'));
  const launcher = fileURLToPath(new URL('../../../scripts/run.mjs', import.meta.url));
  const child = spawn(process.execPath, [launcher, 'start', '--json'], {
    env: { ...process.env, ...ITS_OWN, DATA_DIR: dataDir, LOG_LEVEL: 'warn', ALLOW_LOOPBACK: 'true', ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
    // A Ctrl-C at the terminal is for the demo, which then stops it.
    detached: true,
  });
  const ended = once(child, 'exit');
  return {
    dataDir,
    async ready() {
      for await (const line of createInterface({ input: child.stdout })) {
        if (line.startsWith('{')) return Ready.parse(JSON.parse(line));
      }
      throw new Error('the agent did not start');
    },
    async stop() {
      child.kill('SIGTERM');
      await within(STOP_WITHIN_MS, ended, () => undefined);
      child.kill('SIGKILL');
      await ended;
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
