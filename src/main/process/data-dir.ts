import { chmod, lstat, mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '../config/config-error.ts';

/** What accounts other than the owner's may do: read, write and enter. */
const OF_OTHERS = 0o077;

/** What this product keeps there, by the beginnings of names. */
const OURS = /^(store\.db|ad-server\.db|redis|running\.json|secret)/;

/** Lets no file that this process makes from now on, or one that it starts, be read or written by other accounts (rule S4). */
export function closeNewFiles(): void {
  process.umask(OF_OTHERS);
}

/**
 * Makes the data folder when it is missing, for this account alone (mode 0700), and closes the files in it that an older
 * release left open. A folder that others may enter is never closed unasked: who runs it should know that they could.
 * @throws {ConfigError} naming the command that closes it.
 */
export async function closedDataDir(dataDir: string): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  // Windows has no such modes.
  if (process.getuid === undefined) return;
  const mode = (await stat(dataDir)).mode & 0o777;
  if ((mode & OF_OTHERS) !== 0) throw new ConfigError([openToOthers(dataDir, mode)]);
  for (const name of await readdir(dataDir)) if (OURS.test(name)) await closeFile(join(dataDir, name));
}

/** One that another process removes meanwhile, or that is another account's, stays; nobody but this one reaches it here. */
async function closeFile(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined || !(found.isFile() || found.isDirectory()) || (found.mode & OF_OTHERS) === 0) return;
  await chmod(path, found.mode & 0o700).catch(() => undefined);
}

function openToOthers(dataDir: string, mode: number): string {
  const shown = mode.toString(8).padStart(4, '0');
  return (
    `DATA_DIR ${dataDir} may be read or written by other accounts of this machine (mode ${shown}), and holds what they must not see; ` +
    `close it: chmod 700 ${quoted(dataDir)} (or name a folder in it, which is then made closed); see docs/upgrading.md`
  );
}

/** As a shell takes it for one word. */
function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
