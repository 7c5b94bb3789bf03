import { hasUnfoundIdentifiers } from '../../directory/publisher/property-identifier.ts';
import type { RegistryProperty } from '../../directory/publisher/publisher.ts';
import { INPUT_LIMITS } from '../../platform/intake/input-limits.ts';
import { MOST_PROBLEMS } from './adagents-file.ts';
import type { AdAgents } from './adagents-file.ts';

/** A file that was read, and where. */
interface LocatedFile {
  file: Pick<AdAgents, 'properties'>;
  /** Where the publisher says that its file is kept, such as one that many share; null for its own. */
  location?: string | null;
}

/** Whether something that a file says is the publisher's who was asked. Of a file that many share, what is somebody else's is kept with them. */
export function isOwn(domain: string | undefined, publisherDomain: string, location: string | null = null): boolean {
  return location === null || domain === undefined || domain === publisherDomain;
}

/** The properties of a file that are kept with the publisher who was asked. */
export function ownProperties({ file, location }: LocatedFile, publisherDomain: string): RegistryProperty[] {
  return file.properties.filter((one) => isOwn(one.publisher_domain, publisherDomain, location));
}

/** The same file, which says, before all other problems, whether its publisher's properties are not found by all of their identifiers. */
export async function withUnfound<T extends LocatedFile & { file: AdAgents }>(
  read: T,
  publisherDomain: string,
): Promise<T> {
  if (!(await hasUnfoundIdentifiers(ownProperties(read, publisherDomain)))) return read;
  const unfound = `properties have more than ${INPUT_LIMITS.publisherIdentifiers} identifiers besides domains; nothing is found by the rest`;
  const problems = [unfound, ...read.file.problems].slice(0, MOST_PROBLEMS);
  return { ...read, file: { ...read.file, unfound, problems } };
}
