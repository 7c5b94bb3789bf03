import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { operations } from '../../../src/admin/operator/operations.ts';
import type { Operation } from '../../../src/admin/operator/operation.ts';
import { PAGES } from '../../../src/admin/console/pages.ts';
import { projectRoot } from '../../support/project-files.ts';

/** Those that no page reads or does, each with why. */
const WITHOUT: Readonly<Record<string, string>> = {
  importEntries: 'it takes a file of megabytes in many calls, which the command registry import divides',
};

const ADMIN = join(projectRoot, 'src/admin');

/** The sources below a folder. */
function sourcesIn(folder: string): string[] {
  return readdirSync(join(ADMIN, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => join(ADMIN, folder, path));
}

/** What the console's sources take of the operations' modules, by name. */
async function takenByPages(): Promise<Set<string>> {
  const texts = await Promise.all(sourcesIn('console').map((path) => readFile(path, 'utf8')));
  const imports = texts.flatMap((text) => [...text.matchAll(/import \{([^}]+)\} from '[./]+\/operator\/[^']+'/g)]);
  return new Set(imports.flatMap(([, names = '']) => names.split(',').map((name) => name.trim())));
}

/** Each operation's name where it is made. */
async function namesOfOperations(): Promise<Map<Operation, string>> {
  const modules: Record<string, unknown>[] = await Promise.all(
    sourcesIn('operator').map((path) => import(path) as Promise<Record<string, unknown>>),
  );
  const known = new Set<unknown>(operations);
  return new Map(
    modules.flatMap((one) =>
      Object.entries(one).flatMap(([name, value]) => (known.has(value) ? [[value as Operation, name] as const] : [])),
    ),
  );
}

it('[O1] every operation is read or done on a page of the console, or says why on none', async () => {
  const [names, taken] = await Promise.all([namesOfOperations(), takenByPages()]);
  expect(names.size).toBe(operations.length);
  const missing = operations.map((one) => names.get(one) ?? one.path).filter((name) => !taken.has(name));
  expect(missing.sort()).toEqual(Object.keys(WITHOUT).sort());
});

it('docs/console.md tells of every page of the console, and of no other', async () => {
  const text = await readFile(join(projectRoot, 'docs/console.md'), 'utf8');
  const told = [...text.matchAll(/^\| `\/admin([^`]*)`/gm)].map(([, path = '']) => path);
  expect(told.sort()).toEqual(PAGES.map(({ path }) => path).sort());
});
