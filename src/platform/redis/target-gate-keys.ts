import { createHash } from 'node:crypto';

/** A target; without a path, what an organization's other targets at the origin share. */
interface Place {
  organization_id: string;
  origin: string;
  path: string | undefined;
}

/** The names of what a gate keeps in Redis. */
export interface TargetKeys {
  target(place: Place): { state: string; permits: string };
  /** Of one organization at one origin. */
  group(organization_id: string, origin: string): { targets: string; all: string; unproven: string };
  origin(origin: string): { state: string; all: string; unproven: string; organizations: string };
}

/** @param prefix begins every name. Where it has no hash tag, each origin has one: scripts touch all that is known of it. */
export function targetKeys(prefix: string): TargetKeys {
  const known = new Map<string, string>();
  const isTagged = prefix.includes('{');

  function name(at: string, ...of: readonly (string | undefined)[]): string {
    const text = JSON.stringify(of);
    const found = known.get(text);
    if (found !== undefined) return found;
    if (known.size >= MAX_KNOWN) known.clear();
    const made = `${prefix}:gate:${isTagged ? '' : `{${digest(at)}}:`}${digest(text)}`;
    known.set(text, made);
    return made;
  }

  return {
    target({ organization_id, origin, path }) {
      const id = name(origin, 'target', organization_id, origin, path);
      return { state: `${id}:s`, permits: `${id}:p` };
    },
    group(organization_id, origin) {
      const id = name(origin, 'group', organization_id, origin);
      return { targets: `${id}:t`, all: `${id}:a`, unproven: `${id}:u` };
    },
    origin(origin) {
      const id = name(origin, 'origin', origin);
      return { state: `${id}:s`, all: `${id}:a`, unproven: `${id}:u`, organizations: `${id}:o` };
    },
  };
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}

/** Names kept at hand. */
const MAX_KNOWN = 20_000;
