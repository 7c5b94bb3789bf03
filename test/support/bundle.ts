import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectRoot } from './project-files.ts';

interface Bundles {
  freshBundle: (of?: { home: string; entries: readonly string[]; say: () => void }) => Promise<string>;
}

/** What tests start besides the commands of the product. */
const PROGRAMS = [
  'test/journeys/support/crashing-worker.ts',
  'test/main/support/mortal-backup.ts',
  'test/main/support/secret-mover.ts',
  'test/platform/support/queue-worker.ts',
  'test/platform/support/redis-user.ts',
  'test/platform/support/sqlite-lock.ts',
  'test/platform/support/thing-writer.ts',
  'test/registry/support/https-world.ts',
  'test/support/conformance/server.ts',
  'test/support/conformance/worker.ts',
  'test/webhooks/support/shared-worker.ts',
  'test/webhooks/support/storm-worker.ts',
];

let product: Promise<string> | undefined;
let programs: Promise<string> | undefined;

/**
 * The JavaScript file of a command of the product (`src/main/NAME.ts`) or of a program of the tests, with all it imports:
 * it starts in a third of the time that its sources take. Made from the sources as they are (`scripts/bundle.mjs`).
 */
export async function bundle(entry: string): Promise<string> {
  const folder = await (entry.startsWith('src/main/') ? (product ??= productBundle()) : (programs ??= testPrograms()));
  return join(folder, basename(entry).replace(/\.ts$/, '.mjs'));
}

/** The folder of the product's bundle. */
export async function productBundle(): Promise<string> {
  const { freshBundle } = await bundles();
  return freshBundle();
}

async function testPrograms(): Promise<string> {
  const { freshBundle } = await bundles();
  return freshBundle({ home: join(projectRoot, 'dist', 'test'), entries: PROGRAMS, say: () => undefined });
}

async function bundles(): Promise<Bundles> {
  return (await import(pathToFileURL(join(projectRoot, 'scripts', 'bundle.mjs')).href)) as Bundles;
}
