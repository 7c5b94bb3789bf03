import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { z } from 'zod';
import type { Release } from './public-call.ts';

const Scenario = z.object({ const: z.string().optional(), enum: z.array(z.string()).default([]) });
/** As far as it says which scenarios there are: in 3.0 by an enumeration, later by what each must come with. */
const Request = z.object({
  properties: z.object({ scenario: Scenario }),
  allOf: z.array(z.object({ if: z.object({ properties: z.object({ scenario: Scenario }) }).optional() })).default([]),
});

/** The scenarios of the test controller that the official schemas of a release name. */
export function officialScenarios(release: Release): string[] {
  const file = new URL(`../../adcp-schemas/${release}.json.gz`, import.meta.url);
  const schemas = JSON.parse(gunzipSync(readFileSync(file)).toString()) as Record<string, unknown>;
  const { properties, allOf } = Request.parse(schemas['compliance/comply-test-controller-request.json']);
  const each = [properties, ...allOf.map((part) => part.if?.properties)].map((part) => part?.scenario);
  return each.flatMap((one) => [...(one?.const === undefined ? [] : [one.const]), ...(one?.enum ?? [])]);
}
