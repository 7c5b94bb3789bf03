import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadCatalog } from '../../../src/sales/catalog.ts';
import type { Catalog } from '../../../src/sales/catalog.ts';
import type { Product } from '../../../src/sales/product/product.ts';
import { projectRoot } from '../../support/project-files.ts';

export const demoFolder = join(projectRoot, 'catalog');
export const baseUrl = 'https://sales.northlight.test';

/** The catalog the project ships. */
export function demoCatalog(): Promise<Catalog> {
  return loadCatalog(demoFolder, { baseUrl });
}

export function productOf(catalog: Catalog, product_id: string): Product {
  const product = catalog.products.get(product_id);
  if (product === undefined) throw new Error(`the demo catalog has no product ${product_id}`);
  return product;
}

type Json = Record<string, unknown>;
/** The catalog's files as plain data to break or bend. */
export interface EditableCatalog {
  publisher: Json;
  properties: Json[];
  formats: Json[];
  products: Json[];
}

/** Runs `use` on a copy of the demo catalog after `edit`; the folder is gone afterwards. */
export async function withEditedCatalog<T>(
  edit: (files: EditableCatalog, folder: string) => void | Promise<void>,
  use: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'catalog-'));
  try {
    await cp(demoFolder, folder, { recursive: true });
    const read = async (file: string): Promise<unknown> => JSON.parse(await readFile(join(folder, file), 'utf8'));
    const files: EditableCatalog = {
      publisher: (await read('publisher.json')) as Json,
      properties: (await read('properties.json')) as Json[],
      formats: (await read('formats.json')) as Json[],
      products: (await read('products.json')) as Json[],
    };
    await edit(files, folder);
    for (const [name, json] of Object.entries(files))
      await writeFile(join(folder, `${name}.json`), JSON.stringify(json));
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}
