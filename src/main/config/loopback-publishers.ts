import { ConfigError } from './config-error.ts';
import type { Settings } from './settings.ts';

/** @throws {ConfigError} where loopback is closed: nobody's publisher is to be played there. */
export function loopbackPublishersOf(
  { LOOPBACK_PUBLISHERS }: Settings,
  allowLoopback: boolean,
): ReadonlyMap<string, number> {
  if (LOOPBACK_PUBLISHERS !== undefined && !allowLoopback)
    throw new ConfigError([
      'LOOPBACK_PUBLISHERS is for rehearsals: set ALLOW_LOOPBACK=true beside it, or leave it out',
    ]);
  return LOOPBACK_PUBLISHERS ?? new Map();
}
