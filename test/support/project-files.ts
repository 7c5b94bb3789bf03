import { readdir, readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { SourceFile } from './source-imports.ts';

/** The project's folder. */
export const projectRoot = join(import.meta.dirname, '..', '..');

/** All TypeScript files under a folder of the project. */
export async function typescriptFiles(folder: string): Promise<SourceFile[]> {
  const names = await readdir(join(projectRoot, folder), { recursive: true });
  const paths = names.filter((name) => name.endsWith('.ts')).map((name) => join(folder, name).split(sep).join('/'));
  return Promise.all(
    paths.sort().map(async (path) => ({ path, text: await readFile(join(projectRoot, path), 'utf8') })),
  );
}
