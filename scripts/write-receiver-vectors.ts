/**
 * Writes packages/receiver/vectors: what the sender sends, and what a receiver answers. `--check` only says, by the exit
 * code, whether the files are fresh.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { projectRoot } from '../test/support/project-files.ts';
import { eventVectors } from '../test/receiver/vectors/events.ts';
import { keyVectors } from '../test/receiver/vectors/keys.ts';
import { requestVectors } from '../test/receiver/vectors/requests.ts';
import type { RequestVector } from '../test/receiver/vectors/requests.ts';

const FOLDER = join(projectRoot, 'packages', 'receiver', 'vectors');

/** The text that each file should have, by its name. Signatures that are random stay as they are while they are good. */
export async function receiverVectors(): Promise<Record<string, string>> {
  const written = await readVectors('requests.json').catch(() => '[]');
  const files = {
    'keys.json': keyVectors(),
    'requests.json': requestVectors(JSON.parse(written) as RequestVector[]),
    'events.json': eventVectors(),
  };
  const config = await resolveConfig(join(FOLDER, 'keys.json'));
  const texts = Object.entries(files).map(async ([name, content]) => [
    name,
    await format(JSON.stringify(content), { ...config, parser: 'json' }),
  ]);
  return Object.fromEntries(await Promise.all(texts)) as Record<string, string>;
}

/** A file of vectors as it stands. */
export function readVectors(name: string): Promise<string> {
  return readFile(join(FOLDER, name), 'utf8');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await mkdir(FOLDER, { recursive: true });
  for (const [name, text] of Object.entries(await receiverVectors())) {
    if (!process.argv.includes('--check')) await writeFile(join(FOLDER, name), text);
    else if (text !== (await readVectors(name).catch(() => ''))) {
      console.error(`packages/receiver/vectors/${name} is stale: run npx tsx scripts/write-receiver-vectors.ts`);
      process.exitCode = 1;
    }
  }
}
