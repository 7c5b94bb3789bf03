/** Headers as Node (`req.headers`, `req.headersDistinct`) or the web (`Headers`) give them; names in any case. */
export type ReceivedHeaders =
  | Readonly<Record<string, string | readonly string[] | undefined>>
  | { get(name: string): string | null; forEach(visit: (value: string, name: string) => void): void };

/** A webhook as it came over the wire. */
export interface ReceivedRequest {
  method: string;
  /** The whole URL the sender called: scheme, host and request target as received, before any proxy rewrote them. */
  url: string;
  headers: ReceivedHeaders;
  /** The bytes as received, before any parsing. */
  rawBody: Uint8Array;
}

/**
 * Reads a header by its lower-case name, without the white space around it; several lines of one header are joined by a
 * comma (RFC 9110 section 5.3, RFC 9421 section 2.1).
 */
export type HeaderReader = (lowerCaseName: string) => string | undefined;

export function headerReader(headers: ReceivedHeaders): HeaderReader {
  const values = new Map<string, string>();
  const add = (name: string, value: string) => {
    const earlier = values.get(name.toLowerCase());
    values.set(name.toLowerCase(), earlier === undefined ? value.trim() : `${earlier}, ${value.trim()}`);
  };
  if (isWebHeaders(headers)) {
    headers.forEach((value, name) => {
      add(name, value);
    });
  } else {
    for (const [name, value] of Object.entries(headers)) {
      if (typeof value === 'string') add(name, value);
      else for (const line of value ?? []) add(name, line);
    }
  }
  return (name) => values.get(name);
}

function isWebHeaders(headers: ReceivedHeaders): headers is Extract<ReceivedHeaders, { forEach: unknown }> {
  return typeof headers.forEach === 'function';
}
