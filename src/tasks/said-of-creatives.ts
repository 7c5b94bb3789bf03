import { z } from 'zod';
import { JsonObject } from '../platform/json-object.ts';
import type { Spoken } from '../runtime/spoken.ts';
import type { UpsertCause } from '../sales/creative/upsert.ts';

/** Those of which nothing is said may be left out. */
const SaidOfCreatives = z.object({ creatives: z.array(z.object({ creative_id: z.string(), said: JsonObject })) });

/**
 * What a request in a public dialect says besides of the creatives that it brings. One in our own words, or of a release before there was
 * anything to say, has no place for it. Pure.
 */
export function saidOfCreatives(spoken: Spoken | undefined): Pick<UpsertCause, 'saidOf'> {
  const { data } = SaidOfCreatives.safeParse(spoken?.extra);
  if (data === undefined) return {};
  const said = new Map(data.creatives.map(({ creative_id, said: words }) => [creative_id, words]));
  return { saidOf: (creative_id) => said.get(creative_id) };
}
