import { readFileSync } from 'node:fs';
import { SCHEMAS } from '#adcp-buyer/schemas';
import { schemaValidator } from './schema-validator.ts';
import type { SchemaValidator } from './schema-validator.ts';

/** What is wrong with an adagents.json by the public schema. */
export function publicAdAgentsSchema(): SchemaValidator {
  return schemaValidator(publicSchema('adagents.json'));
}

/** The public schema with what a generated file uses of others; of the rest nothing is asked. */
function publicSchema(path: string): object {
  const USED =
    /^\/schemas\/[^/]+\/(core\/(?:property|property-id|property-tag|publisher-property-selector)\.json|enums\/.*)$/;
  return JSON.parse(readFileSync(new URL(path, SCHEMAS), 'utf8'), (key, value: unknown) => {
    if (key === '$id') return undefined;
    const ref = typeof value === 'object' && value !== null && '$ref' in value ? String(value.$ref) : undefined;
    if (ref === undefined) return value;
    const used = USED.exec(ref)?.[1];
    return used === undefined ? {} : publicSchema(used);
  }) as object;
}
