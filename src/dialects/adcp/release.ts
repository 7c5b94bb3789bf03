import { AppError } from '../../platform/errors.ts';
import type { JsonObject } from '../../platform/json-object.ts';

/** Releases of the public protocol that are spoken, oldest first; `MAJOR.MINOR`, as callers name them. */
export const RELEASES = ['3.0', '3.1', '3.2'] as const;
export type Release = (typeof RELEASES)[number];

/** Which releases callers get who do not name one that is spoken here. */
export interface ReleaseChoice {
  /** Other names, such as those of pre-releases that a client's SDK insists on, and what is meant by them. */
  aliases: ReadonlyMap<string, Release>;
  /** For callers who name the major version alone, which those of the generation of 3.0 do. */
  majorOnly: Release;
}

/** The release an answer is in; `alias` where the request called it by another name, which the answer then repeats. */
export interface Served {
  release: Release;
  alias?: string;
}

/** For callers who name nothing: creatives have a `format_id` in it, which those of 3.2 have not. */
const UNNAMED: Release = '3.1';
/** The last of those spoken here. */
export const NEWEST: Release = '3.2';
const MAJOR = 3;

export function isRelease(text: string): text is Release {
  return (RELEASES as readonly string[]).includes(text);
}

/** Whether one release is the other, or a later one. */
export function isFrom(release: Release, since: Release): boolean {
  return RELEASES.indexOf(release) >= RELEASES.indexOf(since);
}

/** The one in which a request is refused that names none that is spoken here. */
export const SERVED_BY_DEFAULT: Served = { release: UNNAMED };

/**
 * The release in which a request is answered, by its `adcp_version` and `adcp_major_version`: the one it names, or else the highest
 * below it of the same major version, which is never a pre-release.
 * @throws {AppError} `VERSION_UNSUPPORTED` with `details.supported_versions`.
 */
export function servedRelease(request: JsonObject, choice: ReleaseChoice): Served {
  const { adcp_version: version, adcp_major_version: major } = request;
  if (version === undefined || version === null) {
    if (major === undefined || major === null) return SERVED_BY_DEFAULT;
    if (major !== MAJOR) throw unsupported(choice, 'adcp_major_version', shown(major));
    return { release: choice.majorOnly };
  }
  if (typeof version !== 'string') throw unsupported(choice, 'adcp_version', shown(version));
  const named = /^(\d{1,4})\.(\d{1,4})(-[0-9A-Za-z.-]{1,64})?$/.exec(version);
  if (named === null) throw unsupported(choice, 'adcp_version', shown(version));
  if (major !== undefined && major !== null && major !== Number(named[1])) {
    throw unsupported(choice, 'adcp_version', `${version}, beside adcp_major_version ${shown(major)}`);
  }
  const meant = choice.aliases.get(version);
  if (meant !== undefined) return { release: meant, alias: version };
  if (isRelease(version)) return { release: version };
  const release = named[3] === undefined ? highestUpTo(Number(named[1]), Number(named[2])) : undefined;
  if (release === undefined) throw unsupported(choice, 'adcp_version', version);
  return { release };
}

/** As {@link servedRelease}; `otherwise` for a request that names none that is spoken here. */
export function releaseOr(otherwise: Served, request: JsonObject, choice: ReleaseChoice): Served {
  try {
    return servedRelease(request, choice);
  } catch {
    return otherwise;
  }
}

function highestUpTo(major: number, minor: number): Release | undefined {
  return RELEASES.findLast((release) => {
    const [ours, theirs] = [release.split('.').map(Number), [major, minor]];
    return ours[0] === theirs[0] && (ours[1] ?? 0) <= minor;
  });
}

/** What a caller is told that it may name: the releases, and their other names. */
export function supportedVersions({ aliases }: Pick<ReleaseChoice, 'aliases'>): string[] {
  return [...RELEASES, ...aliases.keys()];
}

function unsupported(choice: ReleaseChoice, field: string, sent: string): AppError {
  const supported_versions = supportedVersions(choice);
  return new AppError(
    'VERSION_UNSUPPORTED',
    `${field}: ${sent} is not spoken here; send one of ${supported_versions.join(', ')}`,
    {
      field,
      suggestion: NEWEST,
      details: { supported_versions },
    },
  );
}

function shown(value: unknown): string {
  return JSON.stringify(value).slice(0, 80);
}
