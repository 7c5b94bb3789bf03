/**
 * Writes .env.example from the list of settings. `--check` only says, by the exit code, whether the file is fresh.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SETTINGS } from '../src/main/config/settings.ts';

export const ENV_EXAMPLE_FILE = join(import.meta.dirname, '..', '.env.example');

const HEAD = `# Every setting, commented out: each has a default. To change some, copy this file to .env, which npm start,
# npm run server and npm run worker read, or set them in the environment, which comes first.
# Written by scripts/write-env-example.ts from src/main/config/settings.ts.
`;

/** The text that the file should have. */
export function envExampleText(): string {
  const entries = Object.entries(SETTINGS).map(([name, { doc, example }]) => `# ${doc}\n#${name}=${example}\n`);
  return [HEAD, ...entries].join('\n');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const text = envExampleText();
  if (!process.argv.includes('--check')) await writeFile(ENV_EXAMPLE_FILE, text);
  else if (text !== (await readFile(ENV_EXAMPLE_FILE, 'utf8').catch(() => ''))) {
    console.error('.env.example is stale: run npx tsx scripts/write-env-example.ts');
    process.exitCode = 1;
  }
}
