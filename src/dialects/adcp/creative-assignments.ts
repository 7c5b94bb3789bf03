import { AppError } from '../../platform/errors.ts';
import type { JsonObject } from '../../platform/json-object.ts';
import { refuseUnsupported } from './unsupported.ts';

const EVENLY = 'the creatives of a package take turns evenly';
const BESIDES = `${EVENLY}, and this one has others, without a weight`;
const EVERYWHERE = 'the creatives of a package run in all of its placements';

/** What of an assignment would change whom a creative reaches, and has no effect here. */
const NOT_OF_AN_ASSIGNMENT = { placement_ids: EVERYWHERE, placement_refs: EVERYWHERE };

/** The same of an operation, which is of one creative: what its weight is compared with is not in it. */
export const NOT_OF_AN_OPERATION = { ...NOT_OF_AN_ASSIGNMENT, weight: EVENLY };

/** What a request says of one creative's turns, with the path of its fields. */
export interface SaidTurn {
  one: JsonObject;
  at: string;
}

/** The same of each of a list at a path. Pure. */
export function turnsAt(list: readonly JsonObject[], at: string): SaidTurn[] {
  return list.map((one, i) => ({ one, at: `${at}[${i}].` }));
}

/**
 * Takes what a request says of the creatives of one package, as assignments and of creatives that it brings, where it comes to an even turn
 * of each. Of a creative that is both, what either says of its weight is said.
 * @param standing the ids of the creatives that the package has already and keeps: they have no weight.
 * @throws {AppError} `UNSUPPORTED_FEATURE` for a weight of 0, one unlike the others' or where others have none, a sequence, and placements.
 */
export function assertEven(turns: readonly SaidTurn[], standing: readonly string[] = []): void {
  const weighed = turns.filter(({ one }) => typeof one['weight'] === 'number');
  const ids = new Set(weighed.map(({ one }) => one['creative_id']));
  const named = new Set(turns.map(({ one }) => one['creative_id']));
  const isAlone = standing.every((id) => named.has(id));
  const first = isAlone ? weighed[0]?.one['weight'] : undefined;
  for (const { one, at } of turns) {
    refuseUnsupported(one, NOT_OF_AN_ASSIGNMENT, { at });
    const { weight, rotation_mode, creative_id } = one;
    if (rotation_mode === 'sequential') refuseUnsupported(one, { rotation_mode: EVENLY }, { at });
    const isSaidElsewhere = weight === undefined && ids.has(creative_id);
    if (isSaidElsewhere || (weight === first && weight !== 0)) continue;
    const field = `${at}weight`;
    throw new AppError('UNSUPPORTED_FEATURE', `${field}: ${isAlone ? EVENLY : BESIDES}`, {
      field,
      suggestion: weight === 0 ? 'leave the creative out' : 'send all with the same weight, or none with one',
    });
  }
}
