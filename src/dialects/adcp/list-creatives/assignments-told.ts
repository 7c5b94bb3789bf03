import { z } from 'zod';
import type { JsonObject } from '../../../platform/json-object.ts';
import type { CreativeView } from '../../../sales/creative/creative-view.ts';
import type { CreativeUse } from '../../../sales/creative/uses.ts';
import { isFrom } from '../release.ts';
import type { Release } from '../release.ts';

/** How many packages are told of a creative unless the request says otherwise, in a release that has a word for it. */
const USUAL_LIMIT = 50;

/** How `list_creatives` is asked which assignments it tells. */
export const AssignmentsAsked = {
  assignment_projection: z.enum(['all', 'matching']).optional(),
  assignment_limit: z.int().min(1).max(200).optional(),
};

/** Which assignments are told. */
export interface AssignmentsWanted {
  /** The most of each creative; undefined: all. */
  limit?: number;
  /** Of which media buys and packages, where it is not all of them. An empty list asks nothing. */
  matching?: { media_buy_ids: string[]; package_ids: string[] };
}

/** By when a package had a creative; undefined for one of a buy that could not be read. */
export type AssignedDates = (package_id: string, creative: CreativeView) => string | undefined;

/** What a request wants of them. Those that match are what the filters of packages and media buys are of. Pure. */
export function assignmentsWanted(
  { assignment_projection, assignment_limit }: z.infer<z.ZodObject<typeof AssignmentsAsked>>,
  {
    media_buy_ids = [],
    assigned_to_packages: package_ids = [],
  }: { media_buy_ids?: string[] | undefined; assigned_to_packages?: string[] | undefined },
  release: Release,
): AssignmentsWanted {
  const limit = assignment_limit ?? (isFrom(release, '3.2') ? USUAL_LIMIT : undefined);
  return {
    ...(limit !== undefined && { limit }),
    ...(assignment_projection === 'matching' && { matching: { media_buy_ids, package_ids } }),
  };
}

/** The packages of a creative that are told. Pure. */
export function usesTold(creative: CreativeView, wanted: AssignmentsWanted): CreativeUse[] {
  return usesWanted(creative, wanted).slice(0, wanted.limit);
}

/** Those that are asked for, however many are told. */
function usesWanted({ assignments }: CreativeView, { matching }: AssignmentsWanted): CreativeUse[] {
  return (assignments?.assigned_packages ?? []).filter(
    ({ media_buy_id, package_id }) =>
      matching === undefined ||
      (isAmong(media_buy_id, matching.media_buy_ids) && isAmong(package_id, matching.package_ids)),
  );
}

/** The packages of a creative in public words, and how many there are of those that are not told. Pure. */
export function assignmentsTold(
  creative: CreativeView,
  wanted: AssignmentsWanted,
  assignedBy: AssignedDates,
): JsonObject {
  if (creative.assignments === undefined) return {};
  const { limit, matching } = wanted;
  const { length: found } = usesWanted(creative, wanted);
  const told = usesTold(creative, wanted);
  return {
    assignments: {
      assignment_count: creative.assignments.assignment_count,
      ...(matching !== undefined && { matching_assignment_count: found }),
      ...(limit !== undefined && {
        returned_assignment_count: told.length,
        assignments_truncated: told.length < found,
      }),
      assigned_packages: told.map(({ package_id, media_buy_id }) => {
        // Of a buy that cannot be read nothing better is known than when the creative changed last.
        const assigned_date = assignedBy(package_id, creative) ?? creative.updated_date;
        return { package_id, media_buy_id, assigned_date };
      }),
    },
  };
}

function isAmong(id: string, ids: readonly string[]): boolean {
  return ids.length === 0 || ids.includes(id);
}
