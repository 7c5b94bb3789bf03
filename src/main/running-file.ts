import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const Running = z.object({ pid: z.int(), base_url: z.string(), api_key: z.string() });
/** Where an agent on this machine runs, and the demo buyer's key to it. */
export type Running = z.infer<typeof Running>;

function fileIn(dataDir: string): string {
  return join(dataDir, 'running.json');
}

/** Tells `npm run demo` and `npm run receiver` where the agent runs; readable by this user alone. */
export async function writeRunning(dataDir: string, running: Running): Promise<void> {
  await mkdir(dataDir, { recursive: true });
  await writeFile(fileIn(dataDir), JSON.stringify(running), { mode: 0o600 });
  await chmod(fileIn(dataDir), 0o600);
}

/** The agent that runs on this data folder, if one does. */
export async function readRunning(dataDir: string): Promise<Running | undefined> {
  try {
    const running = Running.parse(JSON.parse(await readFile(fileIn(dataDir), 'utf8')));
    process.kill(running.pid, 0);
    return running;
  } catch {
    return undefined;
  }
}

export async function removeRunning(dataDir: string): Promise<void> {
  await rm(fileIn(dataDir), { force: true });
}
