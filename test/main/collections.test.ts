import { join } from 'node:path';
import { expect, it } from 'vitest';
import { COLLECTIONS } from '../../src/main/wiring/collections.ts';
import { typescriptFiles } from '../support/project-files.ts';

const ROOT = join(import.meta.dirname, '../..');
/** The store's own, which it asks for itself. */
const OF_THE_STORE = ['SchemaVersions', 'LeaseRows', 'SetAsideRows'];

/** Every declaration in the sources, by file. */
async function declared(): Promise<{ path: string; name: string }[]> {
  const files = await typescriptFiles('src');
  return files.flatMap(({ path, text }) =>
    [
      ...text.matchAll(
        /^(?:export )?const (\w+)(?:: CollectionSpec<| = \{\n(?:  .*\n)*\}(?: as const)? satisfies CollectionSpec<)/gm,
      ),
    ].map(([, name = '']) => ({ path, name })),
  );
}

it('[S6] every collection that is declared is asked for when a process starts, each once', async () => {
  const specs = (await declared()).filter(({ name }) => !OF_THE_STORE.includes(name));
  expect(specs.length).toBeGreaterThan(30);
  const listed = new Set<unknown>(COLLECTIONS);
  const missing: string[] = [];
  for (const { path, name } of specs) {
    const module = (await import(join(ROOT, path))) as Record<string, unknown>;
    if (!listed.has(module[name])) missing.push(`${name} of ${path}: add it to src/main/wiring/collections.ts`);
  }
  expect(missing).toEqual([]);
  const names = COLLECTIONS.map(({ name }) => name);
  expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
  expect(names).toHaveLength(specs.length);
});
