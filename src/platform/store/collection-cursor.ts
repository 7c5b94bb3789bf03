import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Scalar } from './collection.ts';
import { AppError } from '../errors.ts';

const Position = z.tuple([z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]), z.string()]);

/** An opaque text for the place after a row, good only for the query it was made for (`of`). */
export function encodeCursor(of: unknown, row: { value: Scalar; key: string }): string {
  return Buffer.from(JSON.stringify([fingerprint(of), row.value, row.key])).toString('base64url');
}

/** @throws {AppError} `INVALID_REQUEST`, field `cursor`, for anything that {@link encodeCursor} did not make for this query. */
export function decodeCursor(of: unknown, cursor: string): { value: Scalar; key: string } {
  const position = Position.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString()));
  if (position.success) {
    const [print, value, key] = position.data;
    if (print === fingerprint(of) && encodeCursor(of, { value, key }) === cursor) return { value, key };
  }
  throw new AppError('INVALID_REQUEST', 'this cursor does not belong to this query', {
    field: 'cursor',
    suggestion: 'send the cursor of the page before with the same filters, or none for the first page',
  });
}

function fingerprint(of: unknown): string {
  return createHash('sha256').update(JSON.stringify(of)).digest('base64url').slice(0, 12);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
