import { readdir, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/** How files are named that a folder is given: by when each was begun, so that they sort by age. */
const OWN_NAME = /^media-buy-agent-\d{8}T\d{6}Z\.backup$/;

/** The file that a backup goes to: `to` itself, or one named by the instant where that is a folder. */
export async function fileFor(to: string, nowMs: number): Promise<string> {
  const path = resolve(to);
  if (!(await isFolder(path))) return path;
  const instant = new Date(nowMs).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  return join(path, `media-buy-agent-${instant}.backup`);
}

/** Removes all but the newest so many of the backups that were named here. Answers what it removed, oldest first. */
export async function keepNewest(folder: string, count: number): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => OWN_NAME.test(name)).sort();
  const old = names.slice(0, Math.max(0, names.length - count));
  for (const name of old) await rm(join(folder, name));
  return old;
}

export async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
