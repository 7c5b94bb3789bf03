import { randomBytes } from 'node:crypto';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { withFileLock } from '../file-lock.ts';

/** What is done on the way, in order; each is on disk before the next begins. */
export type SecretFileStep = 'written' | 'named';

/** Where the secret of a data folder stands. */
export function secretFileOf(dataDir: string): string {
  return join(dataDir, 'secret');
}

/**
 * Changes `DATA_DIR/secret` (mode 0600) by what `change` makes of the secrets in it, one process at a time, and answers them.
 * A new text is on disk as a whole, under another name, before it takes the place of the old one (rule S4).
 * @param change gets none where there is no file, and answers none to make none; it adds, and takes nothing away
 * @throws {Error} for a file that holds no secret, and what `change` throws.
 */
export function changeSecretFile(
  dataDir: string,
  change: (lines: readonly string[]) => Promise<readonly string[]>,
  reached: (step: SecretFileStep) => Promise<void> = () => Promise.resolve(),
): Promise<readonly string[]> {
  return withFileLock(join(dataDir, 'secret.lock'), async () => {
    const before = await readSecretFile(dataDir);
    const after = await change(before);
    if (after.length > before.length) await writeSecretFile(dataDir, after, reached);
    return after;
  });
}

/** 256 random bits in base64url. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** The secrets in `DATA_DIR/secret`; none where there is no file. @throws {Error} for one that holds no secret. */
export async function readSecretFile(dataDir: string): Promise<readonly string[]> {
  const file = secretFileOf(dataDir);
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  const lines = text.split('\n').map((line) => line.trim());
  const secrets = lines.filter((line) => line !== '' && !line.startsWith('#'));
  const isWhole = secrets.length > 0 && secrets.every((secret) => secret.length >= MIN_LENGTH);
  if (!isWhole) throw new Error(`${file} holds no secret, or only a part of one; put it back from its backup`);
  return secrets;
}

async function writeSecretFile(
  dataDir: string,
  secrets: readonly string[],
  reached: (step: SecretFileStep) => Promise<void>,
): Promise<void> {
  const file = secretFileOf(dataDir);
  const next = `${file}.new`;
  await rm(next, { force: true });
  const handle = await open(next, 'wx', 0o600);
  try {
    await handle.writeFile([HEAD, ...secrets, ''].join('\n'));
    await handle.sync();
  } finally {
    await handle.close();
  }
  await reached('written');
  await rename(next, file);
  await syncFolder(dataDir);
  await reached('named');
}

/** A name is on disk when its folder is. Where folders cannot be opened, as on Windows, the system sees to that. */
async function syncFolder(dataDir: string): Promise<void> {
  const handle = await open(dataDir, 'r').catch(() => undefined);
  try {
    await handle?.sync();
  } finally {
    await handle?.close();
  }
}

const MIN_LENGTH = 32;
const HEAD = `# What this installation seals its stored secrets with; the lines after the first open what they sealed.
# Without this file they cannot be opened: keep a copy of it, apart from those of the store.`;
