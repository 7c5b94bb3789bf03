import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { parseInput } from '../../platform/validation.ts';
import { normalizeDomain } from '../domain/normalize-domain.ts';
import { BlockedDomain } from './blocked-domain.ts';

const BlockedDomainFile = z.array(
  BlockedDomain.refine(({ domain }) => normalizeDomain(domain)?.domain === domain, {
    path: ['domain'],
    message: 'write the domain in its canonical form: lower case, no scheme, no leading www. or m.',
  }),
);

/**
 * Reads the list of blocked infrastructure that an operator edits. Keys beyond those of {@link BlockedDomain}, such as a
 * citation, are for its readers.
 * @throws {AppError} `VALIDATION_ERROR` naming every bad entry; {SyntaxError} for what is no JSON.
 */
export async function readBlockedDomains(file: string): Promise<BlockedDomain[]> {
  return parseInput(BlockedDomainFile, JSON.parse(await readFile(file, 'utf8')));
}
