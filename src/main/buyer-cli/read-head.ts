import { z } from 'zod';
import { ConfigError } from '../config/config-error.ts';

interface Head {
  method: string;
  /** What was called, when the head tells it. */
  url?: string;
  headers: Record<string, string[]>;
}

const HeaderObject = z.record(z.string(), z.union([z.string(), z.array(z.string())]));

/**
 * The head of a request that was kept: a JSON object of headers, or lines as they came, with the request line or without.
 * @throws {ConfigError} naming the first line that is none
 */
export function readHead(text: string): Head {
  const trimmed = text.trim();
  return trimmed.startsWith('{') ? ofObject(trimmed) : ofLines(trimmed.split(/\r?\n/));
}

function ofObject(text: string): Head {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    given = undefined;
  }
  const read = HeaderObject.safeParse(given);
  if (!read.success) throw new ConfigError(['--headers: not a JSON object of texts or lists of texts']);
  const headers = Object.entries(read.data).map(([name, value]) => [name.toLowerCase(), [value].flat()]);
  return { method: 'POST', headers: Object.fromEntries(headers) as Head['headers'] };
}

function ofLines(lines: readonly string[]): Head {
  const [, method = 'POST', target] = /^([A-Z]+) (\S+) HTTP\/[\d.]+$/.exec(lines[0] ?? '') ?? [];
  const headers: Head['headers'] = Object.create(null) as Head['headers'];
  for (const line of target === undefined ? lines : lines.slice(1)) {
    const [, name, value = ''] = /^([^\s:]+):(.*)$/.exec(line) ?? [];
    if (name === undefined) throw new ConfigError([`--headers: no header: ${line.slice(0, 80)}`]);
    (headers[name.toLowerCase()] ??= []).push(value.trim());
  }
  const host = headers['host']?.[0];
  if (target === undefined || host === undefined) return { method, headers };
  return { method, headers, url: target.startsWith('/') ? `https://${host}${target}` : target };
}
