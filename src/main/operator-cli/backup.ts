import { resolve } from 'node:path';
import { Command } from 'commander';
import type { BackupSummary } from '../../platform/store/backup/backup-content.ts';
import { ConfigError } from '../config/config-error.ts';
import { readConfig } from '../config/config.ts';
import { secretFileOf } from '../../platform/crypto/secret-file.ts';
import { backUp, isSecretSet, restoreBackup, verifyBackup } from '../wiring/backup.ts';
import type { BackedUp } from '../wiring/backup.ts';
import { fileFor, isFolder, keepNewest } from './backup-folder.ts';
import type { Terminal } from './session.ts';
import { facts } from './table.ts';

const AS_JSON = ['--json', 'print the answer as one line of JSON'] as const;

/** `backup`: the whole store in one file, while agents run on it. Talks to no agent. */
export function backupCommand({ env, write }: Terminal): Command {
  return new Command('backup')
    .description('Write the whole store into one checked file, while the agent runs and writes.')
    .requiredOption('--to <file>', 'a file that is not there yet, or a folder, where it is named by the time')
    .option('--keep <count>', 'of the backups in that folder only the newest so many stay, once this one is whole')
    .option('--with-secret', 'the secret that opens sealed values, too; whoever has the file then has everything')
    .option(...AS_JSON)
    .action(async ({ to, keep, withSecret = false, json }: BackupOptions) => {
      const config = readConfig(env, { allowLoopback: true });
      const kept = keep === undefined ? undefined : await keptOf(keep, to);
      const file = await fileFor(to, Date.now());
      const made = await backUp(config, file, withSecret);
      const removed = kept === undefined ? [] : await keepNewest(resolve(to), kept);
      if (json === true) {
        write(`${JSON.stringify({ ...shown(made), file, removed })}\n`);
        return;
      }
      if (made.left_out > 0) write(`${made.left_out} rows that are no JSON are not in it.\n`);
      if (made.unknown.length > 0)
        write(`Not in it, since this release does not know them: ${made.unknown.join(', ')}.\n`);
      write(`${factsOf(made)}${made.bytes} bytes at ${file}, checked.\n`);
      if (removed.length > 0) write(`Removed, being older than the newest ${kept}: ${removed.join(', ')}.\n`);
      write(`${aboutSecret(config, made)}\n`);
    });
}

interface BackupOptions {
  to: string;
  keep?: string;
  withSecret?: boolean;
  json?: true;
}

/** @throws {ConfigError} for what is no count, and for a file, beside which nothing is removed. */
async function keptOf(keep: string, to: string): Promise<number> {
  if (!/^[1-9]\d{0,3}$/.test(keep)) throw new ConfigError(['--keep: send a number from 1 to 9999']);
  if (!(await isFolder(resolve(to))))
    throw new ConfigError([`--keep: goes with a folder that is there, and --to ${to} is none`]);
  return Number(keep);
}

/** `restore`: a backup into an empty store. Talks to no agent. */
export function restoreCommand({ env, write }: Terminal): Command {
  return new Command('restore')
    .description('Put a backup into an empty DATA_DIR or database, before the first start there.')
    .argument('<file>')
    .option(...AS_JSON)
    .action(async (file: string, { json }: { json?: true }) => {
      const config = readConfig(env, { allowLoopback: true });
      const restored = await restoreBackup(config, resolve(file));
      if (json === true) write(`${JSON.stringify(shown(restored))}\n`);
      else write(`${factsOf(restored)}Restored.\n${nextStep(config, restored)}\n`);
    });
}

/** `verify-backup`: whether one is whole. Talks to no agent and opens no store. */
export function verifyBackupCommand({ write }: Terminal): Command {
  return new Command('verify-backup')
    .description('Check that a backup is whole and unaltered, and say what it holds.')
    .argument('<file>')
    .option(...AS_JSON)
    .action(async (file: string, { json }: { json?: true }) => {
      const found = await verifyBackup(resolve(file));
      write(json === true ? `${JSON.stringify(shown(found))}\n` : `${factsOf(found)}The file is whole.\n`);
    });
}

/** The secret itself is shown to nobody. */
function shown<T extends BackupSummary>({ secret, ...rest }: T) {
  return { ...rest, has_secret: secret !== undefined };
}

function factsOf({ made_at, release, store, counts, rows, secret }: BackupSummary): string {
  const filled = Object.entries(counts).filter(([, count]) => count > 0);
  return facts([
    ['made', `${made_at} by release ${release} from ${store}`],
    ['with its secret', secret === undefined ? 'no' : 'yes'],
    ['rows', String(rows)],
    ...filled.map(([name, count]) => [`  ${name}`, String(count)] as const),
  ]);
}

function aboutSecret(config: BackedUp, { secret }: BackupSummary): string {
  if (secret !== undefined) return 'The secret is in it: keep this file as you keep the secret.';
  const where = isSecretSet(config)
    ? 'SECRET_KEY, a setting of yours (and PREVIOUS_SECRET_KEYS): keep a copy'
    : `${secretFileOf(config.dataDir)}: keep a copy of it, or use --with-secret`;
  return `Missing: the secret, without which keys and registered URLs in it cannot be opened. It is ${where}, apart from this file.`;
}

function nextStep(config: BackedUp, { secret }: BackupSummary): string {
  if (config.mongodbUrl !== undefined)
    return 'Missing: the secret. Set SECRET_KEY to what the backed-up agent had (or the lines of its DATA_DIR/secret), then start the agent.';
  if (secret !== undefined) return 'Its secret, too. Start the agent.';
  return `Missing: the secret. Put the backed-up agent's file at ${secretFileOf(config.dataDir)} (or set SECRET_KEY as it was), then start the agent.`;
}
