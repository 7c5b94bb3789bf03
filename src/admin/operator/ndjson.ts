import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import { z } from 'zod';
import type { Budgets } from '../../platform/budget/budgets.ts';
import { addressKey } from '../../platform/client-address.ts';
import type { Logger } from '../../platform/log.ts';
import type { Json, Operation } from './operation.ts';

export const NDJSON = 'application/x-ndjson';

/** How many rows are read at a time, and are in memory. */
const PAGE_ROWS = '100';
/** How many rows one answer has at most. */
const MOST_ROWS = 100_000;
/** How long a reader who takes nothing is waited for, in milliseconds. */
const PATIENCE_MS = 60_000;

/** The name that a list's rows have in its answer, where there are several that of its path; undefined for what is no list in pages. */
export function rowsNameOf({
  method,
  path,
  answer,
}: Pick<Operation, 'method' | 'path' | 'answer'>): string | undefined {
  if (method !== 'get' || !(answer instanceof z.ZodObject) || answer.shape['cursor'] === undefined) return undefined;
  const names = Object.entries(answer.shape).flatMap(([name, schema]) => (schema instanceof z.ZodArray ? [name] : []));
  return names.length === 1 ? names[0] : names.find((name) => path.endsWith(`/${name}`));
}

/** What a list is read by: a page of it. */
type ReadPage = (page: { limit: string; cursor?: string }) => Promise<Json>;

/** A list to be sent. */
interface WholeList {
  /** The name that its rows have in the answer. */
  rows: string;
  read: ReadPage;
  /** The cursor that it begins at; absent: the list's beginning. */
  from: string | undefined;
  /** As which it is saved; absent: it is shown. */
  filename?: string;
}

/**
 * Sends a list from where it was asked for to its end, one JSON object a line: a page is read once the reader has taken the one before.
 * After {@link MOST_ROWS} rows a last line, `{"cursor":"…"}`, says where to go on. What is wrong with the first page is thrown before anything is sent; later
 * the connection is cut, so that no half list is taken for a whole one. @throws {AppError} `RATE_LIMITED` for too many at once from one address.
 */
export async function sendNdjson(
  { budgets, log }: { budgets: Pick<Budgets, 'hold'>; log: Logger },
  { request: { ip = '' }, response }: { request: Pick<Request, 'ip'>; response: Response },
  { rows, read, from, filename }: WholeList,
): Promise<void> {
  const place = await budgets.hold('exports', addressKey(ip));
  try {
    const first = await read({ limit: PAGE_ROWS, ...(from !== undefined && { cursor: from }) });
    if (filename !== undefined) response.attachment(filename);
    response.type(NDJSON);
    response.setTimeout(PATIENCE_MS, () => response.destroy());
    await pipeline(Readable.from(linesOf(first, rows, read), { highWaterMark: 1 }), response);
  } catch (error) {
    // That whoever asked has gone is no fault.
    if (isGone(error)) return;
    if (!response.headersSent) throw error;
    // The connection has been cut.
    log.error({ err: error, rows }, 'a list could not be sent to its end');
  } finally {
    place.letGo();
  }
}

/** The rows from the first page on, as lines, a page at a time; after `most` of them, where to go on. */
export async function* linesOf(first: Json, rows: string, read: ReadPage, most = MOST_ROWS): AsyncGenerator<string> {
  let page = first;
  for (let sent = 0; ;) {
    const found = page[rows] as readonly object[];
    sent += found.length;
    if (found.length > 0) yield found.map(line).join('');
    const { cursor } = page;
    if (typeof cursor !== 'string') return;
    if (sent >= most) {
      yield line({ cursor });
      return;
    }
    page = await read({ limit: PAGE_ROWS, cursor });
  }
}

/** JSON leaves in text what some readers of lines end a line at: C1's next line, and the separators of lines and of paragraphs. */
function line(value: object): string {
  const text = JSON.stringify(value).replaceAll(/[\u0085\u2028\u2029]/g, escaped);
  return `${text}\n`;
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function isGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
}
