import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const Running = z.object({
  pid: z.int(),
  base_url: z.string(),
  api_key: z.string().optional(),
  operator_key: z.string().optional(),
});
/** Where an agent on this machine runs, the demo buyer's key to it if there is one, and its operator's. */
export type Running = z.infer<typeof Running>;

function fileIn(dataDir: string): string {
  return join(dataDir, 'running.json');
}

/** Tells `npm run agent`, `demo` and `receiver` where the agent runs; readable by this user alone. */
export async function writeRunning(dataDir: string, running: Running): Promise<void> {
  const file = fileIn(dataDir);
  const whole = `${file}.${running.pid}`;
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  await rm(whole, { force: true });
  await writeFile(whole, JSON.stringify(running), { mode: 0o600 });
  await rename(whole, file);
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

/** Forgets the agent of this process; one started since on the same folder stays known. */
export async function removeRunning(dataDir: string, pid: number): Promise<void> {
  if ((await readRunning(dataDir))?.pid === pid) await rm(fileIn(dataDir), { force: true });
}
