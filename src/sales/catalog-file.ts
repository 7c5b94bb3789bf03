import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { z } from 'zod';
import { AppError } from '../platform/errors.ts';
import { parseInput } from '../platform/validation.ts';

/** One mistake in a catalog: in which file, where in it (such as `[3].pricing_options[0].price`), and what. */
export interface CatalogProblem {
  file: string;
  /** Empty for the file as a whole. */
  path: string;
  message: string;
}

/** Such as `products.json [3].channels: must not name anything twice`. */
export function problemLine({ file, path, message }: CatalogProblem): string {
  return `${file}${path === '' ? '' : ` ${path}`}: ${message}`;
}

/** One item of a file that holds a list; when it has problems, `value` is absent, and `parts` has the fields without. */
export interface CatalogItem<T> {
  index: number;
  raw: unknown;
  value?: T;
  parts: Partial<T>;
}

/** A catalog file's JSON with `{base_url}` filled in, or undefined after noting why it cannot be read. */
export async function readCatalogFile(
  dir: string,
  file: string,
  baseUrl: string,
  problems: CatalogProblem[],
): Promise<unknown> {
  try {
    return fillIn(JSON.parse(await readFile(join(dir, file), 'utf8')), baseUrl);
  } catch (error) {
    if (!(error instanceof SyntaxError) && !isMissing(error)) throw error;
    problems.push({
      file,
      path: '',
      message: error instanceof SyntaxError ? `not JSON: ${error.message}` : 'is missing',
    });
    return undefined;
  }
}

/** Reads a list item by item, so that one bad item hides no mistake in the others. */
export function readItems<T>(
  json: unknown,
  file: string,
  schema: z.ZodType<T> & Fields,
  problems: CatalogProblem[],
): CatalogItem<T>[] {
  if (json === undefined) return [];
  if (!Array.isArray(json)) {
    problems.push({ file, path: '', message: 'must be a list: [ … ]' });
    return [];
  }
  return json.map((raw: unknown, index) => {
    const value = readValue(raw, file, schema, problems, [index]);
    return value === undefined ? { index, raw, parts: fitting<T>(raw, schema) } : { index, raw, value, parts: value };
  });
}

/** What an object schema says of each field. */
interface Fields {
  shape: Readonly<Record<string, z.ZodType>>;
}

/** The fields that are as they must be, each by itself. */
function fitting<T>(raw: unknown, { shape }: Fields): Partial<T> {
  if (typeof raw !== 'object' || raw === null) return {};
  const given = new Map<string, unknown>(Object.entries(raw));
  const read = Object.entries(shape).flatMap(([field, schema]) => {
    const parsed = schema.safeParse(given.get(field));
    return parsed.success ? [[field, parsed.data] as const] : [];
  });
  return Object.fromEntries(read) as Partial<T>;
}

/** Reads one value, noting each of its mistakes; undefined when there are any. */
export function readValue<T>(
  raw: unknown,
  file: string,
  schema: z.ZodType<T>,
  problems: CatalogProblem[],
  at: readonly PropertyKey[] = [],
): T | undefined {
  try {
    return parseInput(schema, raw, at);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    for (const { pointer, message } of error.details.issues ?? []) {
      problems.push({
        file,
        path: pointer
          .replaceAll(/\/(\d+)/g, '[$1]')
          .replaceAll('/', '.')
          .replace(/^\./, ''),
        message,
      });
    }
    return undefined;
  }
}

/** Replaces `{base_url}` in every text by the agent's own URL, without a slash at its end. */
function fillIn(json: unknown, baseUrl: string): unknown {
  if (typeof json === 'string') return json.replaceAll('{base_url}', baseUrl.replace(/\/+$/, ''));
  if (Array.isArray(json)) return json.map((item) => fillIn(item, baseUrl));
  if (typeof json !== 'object' || json === null) return json;
  return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, fillIn(value, baseUrl)]));
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
