import type { Request } from 'express';

/** Headers in which a client names the extensions that it uses, and is told which of them are: those of 1.0 and 0.3. */
export const EXTENSION_HEADERS = ['A2A-Extensions', 'X-A2A-Extensions'] as const;

/** The extensions that a request names, in either generation's header. */
export function extensionsOf(request: Pick<Request, 'get'>): string | undefined {
  const named = EXTENSION_HEADERS.flatMap((header) => request.get(header) ?? []);
  return named.length === 0 ? undefined : named.join(',');
}

/** Of the extensions that a header names, those that the agent has, each once, as the same header of the answer; undefined for none. */
export function sharedExtensions(requested: string, ours: readonly string[]): string | undefined {
  const named = new Set(requested.split(',').map((uri) => uri.trim()));
  const shared = ours.filter((uri) => named.has(uri));
  return shared.length === 0 ? undefined : shared.join(', ');
}
