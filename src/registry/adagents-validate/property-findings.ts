import { mapInSlices } from '../../platform/in-slices.ts';
import { isObject } from '../../platform/json-object.ts';
import type { LeftOut } from '../crawl/adagents-file.ts';
import { tell } from './file-finding.ts';
import type { FileFinding, Findings } from './file-finding.ts';
import { PUBLIC_IDENTIFIER_TYPES, PUBLIC_PROPERTY_TYPES } from './public-types.ts';

/** Looked at; the crawl takes no more either. */
const MOST_PROPERTIES = 20_000;

/** Adds what is wrong with the properties of a file, and answers the ids and tags that they define. */
export async function checkListedProperties(
  { errors, warnings }: Findings,
  value: unknown,
  leftOut: ReadonlyMap<string, LeftOut>,
): Promise<{ ids: Set<string>; tags: Set<string> }> {
  const known = { ids: new Set<string>(), tags: new Set<string>() };
  const list: unknown[] = Array.isArray(value) ? value : [];
  if (value !== undefined && value !== null && !Array.isArray(value))
    tell(errors, '/properties', 'it is no list', 'make it a list of properties');
  if (list.length > MOST_PROPERTIES)
    tell(errors, '/properties', `only the first ${MOST_PROPERTIES} properties count`, 'split the file');
  await mapInSlices(list.slice(0, MOST_PROPERTIES), (property, i) => {
    const at = `/properties/${i}`;
    const why = leftOut.get(at);
    if (why !== undefined) tell(errors, at, why.message, why.fix);
    if (!isObject(property)) return;
    if (why === undefined) checkNamed(errors, at, property);
    checkTypes(warnings, at, property);
    const { property_id: id, tags } = property;
    if (typeof id === 'string' && known.ids.has(id))
      tell(warnings, `${at}/property_id`, 'an earlier property has the same id', 'give each property its own');
    if (typeof id === 'string') known.ids.add(id);
    if (Array.isArray(tags)) for (const tag of tags.slice(0, 200)) if (typeof tag === 'string') known.tags.add(tag);
  });
  return known;
}

/** The crawl takes them, and the public schema does not. */
function checkNamed(errors: FileFinding[], at: string, { name, identifiers }: Record<string, unknown>): void {
  if (typeof name !== 'string' || name.trim() === '')
    tell(errors, `${at}/name`, 'it has no name', 'name it as its readers know it');
  if (Array.isArray(identifiers) && identifiers.length === 0)
    tell(errors, `${at}/identifiers`, 'it has no identifiers', 'say what it is known by, such as its domain');
}

const PROPERTY_TYPES: ReadonlySet<unknown> = new Set(PUBLIC_PROPERTY_TYPES);
const IDENTIFIER_TYPES: ReadonlySet<unknown> = new Set(PUBLIC_IDENTIFIER_TYPES);

function checkTypes(
  warnings: FileFinding[],
  at: string,
  { property_type, identifiers }: Record<string, unknown>,
): void {
  if (!PROPERTY_TYPES.has(property_type))
    tell(warnings, `${at}/property_type`, 'the public schema has no such type', 'take one of it, such as website');
  const list: unknown[] = Array.isArray(identifiers) ? identifiers.slice(0, 1000) : [];
  for (const [i, identifier] of list.entries())
    if (isObject(identifier) && !IDENTIFIER_TYPES.has(identifier['type']))
      tell(
        warnings,
        `${at}/identifiers/${i}/type`,
        'the public schema has no such type',
        'take one of it, such as domain',
      );
}
