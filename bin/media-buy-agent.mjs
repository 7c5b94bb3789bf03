#!/usr/bin/env node
// `npx media-buy-agent …`: in the package, what was built when it was packed; in a checkout, the sources as they are.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { entryOf } from './entry-of.mjs';

const packed = new URL('../dist/packed/program/', import.meta.url);
const isCheckout = existsSync(new URL('../src/main/agent.ts', import.meta.url));
const given = process.argv.slice(2);

if (isCheckout) {
  process.argv.splice(2, 0, 'agent');
  await import(new URL('../scripts/run.mjs', import.meta.url).href);
} else {
  // What stands in the environment already comes first, even when it is empty.
  const settings = resolve('.env');
  if (existsSync(settings)) process.loadEnvFile(settings);
  // The catalog of examples, until there is one where it is started.
  if (!existsSync('catalog')) process.env['CATALOG_DIR'] ??= fileURLToPath(new URL('../catalog', import.meta.url));
  const { name, args } = entryOf(given);
  process.argv.splice(2, given.length, ...args);
  process.umask(0o077);
  const { launch } = await import(new URL('launch.mjs', packed).href);
  launch(name);
}
