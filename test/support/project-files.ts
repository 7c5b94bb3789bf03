import { readdir, readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { SourceFile } from './source-imports.ts';

/** The project's folder. */
export const projectRoot = join(import.meta.dirname, '..', '..');

/** The paths of all files under a folder of the project, sorted; what is installed there is not the project's. */
export async function filesUnder(folder: string): Promise<string[]> {
  const entries = await readdir(join(projectRoot, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(projectRoot.length + 1)
        .split(sep)
        .join('/'),
    )
    .filter((path) => !path.includes('/node_modules/'))
    .sort();
}

export async function readProjectFile(path: string): Promise<SourceFile> {
  return { path, text: await readFile(join(projectRoot, path), 'utf8') };
}

/** All TypeScript files under a folder of the project. */
export async function typescriptFiles(folder: string): Promise<SourceFile[]> {
  return Promise.all((await filesUnder(folder)).filter((path) => /\.tsx?$/.test(path)).map(readProjectFile));
}
