import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CATALOG_FILES, loadCatalog } from '../../sales/catalog.ts';
import type { Catalog } from '../../sales/catalog.ts';
import { ConfigError } from '../config/config-error.ts';
import { BLOCKED_DOMAINS_FILE, blockedAtFirst } from './blocked-at-first.ts';
import { SEED_FILE } from './registry-seed.ts';

/** What a folder of the catalog holds. The seed may be missing. */
const FILES = [...CATALOG_FILES, BLOCKED_DOMAINS_FILE, SEED_FILE] as const;

export interface ExportedCatalog {
  catalog: Catalog;
  files: string[];
}

/**
 * Writes the catalog's files as they stand, `{base_url}` and all, into a folder that is empty or not there yet, and reads them back as a
 * start does.
 * @throws {CatalogError} when a start would not take them, and nothing is written then; {ConfigError} for a file, and for a folder with something in it.
 */
export async function exportCatalog(catalogDir: string, to: string, baseUrl: string): Promise<ExportedCatalog> {
  await read(catalogDir, baseUrl);
  await makeFolder(to);
  if ((await readdir(to)).length > 0) throw new ConfigError([`--to ${to} has something in it; name an empty folder`]);
  const files: string[] = [];
  for (const file of FILES) {
    const bytes = await readFile(join(catalogDir, file)).catch((error: unknown) => {
      if (file === SEED_FILE && (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    });
    if (bytes === undefined) continue;
    await writeFile(join(to, file), bytes, { flag: 'wx' });
    files.push(file);
  }
  return { catalog: await read(to, baseUrl), files };
}

/** @throws {ConfigError} where a file stands there, or above. */
async function makeFolder(to: string): Promise<void> {
  try {
    await mkdir(to, { recursive: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST' && code !== 'ENOTDIR') throw error;
    const what = code === 'EEXIST' ? 'is a file' : 'is below a file';
    throw new ConfigError([`--to ${to} ${what}, not a folder; name an empty folder, or one that is not there yet`], {
      cause: error,
    });
  }
}

async function read(catalogDir: string, baseUrl: string): Promise<Catalog> {
  const catalog = await loadCatalog(catalogDir, { baseUrl });
  await blockedAtFirst({ catalogDir });
  return catalog;
}
