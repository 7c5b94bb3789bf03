import { join } from 'node:path';
import { readBlockedDomains } from '../../directory/blocked-domain/blocked-domain.ts';
import type { BlockedDomain } from '../../directory/blocked-domain/blocked-domain.ts';
import { AppError } from '../../platform/errors.ts';
import { fieldPath } from '../../platform/field-path.ts';
import { problemsIn } from '../../platform/problem.ts';
import { CatalogError } from '../../sales/catalog.ts';
import type { CatalogProblem } from '../../sales/catalog-file.ts';

/** Where in the folder of the catalog it stands. */
export const BLOCKED_DOMAINS_FILE = 'blocked-domains.json';

/** What the list of blocked domains begins with, out of the catalog. @throws {CatalogError} naming each wrong entry, as for its other files. */
export async function blockedAtFirst({ catalogDir }: { catalogDir: string }): Promise<BlockedDomain[]> {
  try {
    return await readBlockedDomains(join(catalogDir, BLOCKED_DOMAINS_FILE));
  } catch (error) {
    const problems = problemsOf(error);
    throw problems.length === 0 ? error : new CatalogError(catalogDir, problems);
  }
}

/** None for a fault that is not the file's. */
function problemsOf(error: unknown): CatalogProblem[] {
  const file = BLOCKED_DOMAINS_FILE;
  if (error instanceof SyntaxError) return [{ file, path: '', message: `not JSON: ${error.message}` }];
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
    return [{ file, path: '', message: 'is missing; where nothing is to be blocked, let it hold []' }];
  if (!(error instanceof AppError)) return [];
  return problemsIn(error).map(({ path, message }) => ({ file, path: fieldPath(path), message }));
}
