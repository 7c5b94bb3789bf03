import { AppError } from '../platform/errors.ts';
import type { CorsOrigins } from '../platform/cors.ts';

export interface OwnNames {
  /** What buyers call this agent by. */
  baseUrl: string;
  /** Whether it is reached at this machine's loopback addresses. */
  isAtLoopback: boolean;
  /** Whose pages may call from a browser. */
  corsOrigins: CorsOrigins | undefined;
}

interface Heads {
  host?: string | undefined;
  origin?: string | undefined;
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Refuses whoever calls this server by a name that is not its own, or from a page that may not: a page somewhere can make its own
 * name lead here, and have a browser call with all that the browser may reach (rule D9.names).
 * @throws {AppError} `FORBIDDEN`.
 */
export function checkNames({ host = '', origin }: Heads, { baseUrl, isAtLoopback, corsOrigins }: OwnNames): void {
  const own = new URL(baseUrl);
  const names = [own.hostname, ...(isAtLoopback ? LOOPBACK : [])];
  if (!names.includes(URL.parse(`http://${host}`)?.hostname ?? '')) {
    throw new AppError('FORBIDDEN', 'the Host header names another server; call this one by its own name (PUBLIC_URL)');
  }
  if (origin === undefined || origin === own.origin || corsOrigins === '*') return;
  if (corsOrigins?.includes(origin) === true) return;
  if (isAtLoopback && LOOPBACK.includes(URL.parse(origin)?.hostname ?? '')) return;
  throw new AppError(
    'FORBIDDEN',
    'pages of this origin may not call; the settings name those that may (A2A_CORS_ORIGINS)',
  );
}
