import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const Ready = z.object({ ready: z.literal(true), base_url: z.string(), api_key: z.string() });

/** An agent that somebody runs, or one started here for the occasion. */
export interface AtHand {
  base_url: string;
  api_key: string;
  stop(): Promise<void>;
}

/** Starts a fresh agent on a throw-away folder and a free port, as `npm start -- --json` does. */
export async function startOwnAgent(): Promise<AtHand> {
  const dataDir = await mkdtemp(join(tmpdir(), 'media-buy-agent-demo-'));
  const launcher = fileURLToPath(new URL('../../../scripts/run.mjs', import.meta.url));
  const env = { ...process.env, DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'warn', ALLOW_LOOPBACK: 'true' };
  const child = spawn(process.execPath, [launcher, 'start', '--json'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const stop = async () => {
    const ended = child.exitCode === null ? once(child, 'exit') : undefined;
    child.kill('SIGTERM');
    await ended;
    await rm(dataDir, { recursive: true, force: true });
  };
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.startsWith('{')) continue;
    const { base_url, api_key } = Ready.parse(JSON.parse(line));
    return { base_url, api_key, stop };
  }
  await stop();
  throw new Error('the agent did not start');
}
