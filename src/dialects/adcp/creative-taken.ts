import { canonicalJson } from '../../platform/crypto/canonical-json.ts';
import { AppError, invalidRequest } from '../../platform/errors.ts';
import { INPUT_LIMITS } from '../../platform/intake/input-limits.ts';
import type { JsonObject } from '../../platform/json-object.ts';
import type { AdcpCreative } from './create-media-buy/schema.ts';
import { ourCreative } from './creatives.ts';
import { canonicalFormat } from './formats/creative-format.ts';
import type { TakenWhere } from './formats/creative-format.ts';
import { refuseUnsupported } from './unsupported.ts';

/** What of a creative would change what is shown, and to whom, and is not done here. */
const NOT_OF_A_CREATIVE = {
  component_assets: 'a creative is shown in one piece here; send its assets',
  localization: 'a creative is the same in every language here; send one for each',
  representation_selection: 'a creative has one representation here, its assets',
  revision_id: 'revisions of creatives have no names here',
  rights: 'nothing is held to rights here; a creative is shown wherever its packages run, until it is taken out',
};

/** States that a creative comes to by itself here, or through the seller: clients send them back as they were told. */
const OF_ITSELF: readonly unknown[] = ['processing', 'pending_review', 'approved'];

/** What is kept with a creative to be told again. */
const TOLD_AGAIN = ['industry_identifiers', 'provenance'] as const;

/**
 * A creative in our own fields. `inputs`, contexts to preview what is generated, say nothing here: nothing is generated.
 * @param at where it stands, such as `creatives[0].`.
 * @throws {AppError} `UNSUPPORTED_FEATURE` for what of it cannot be done, and as {@link canonicalFormat}.
 */
export function creativeTaken(creative: AdcpCreative, at: string, where: TakenWhere): JsonObject {
  refuseUnsupported(creative, NOT_OF_A_CREATIVE, { at });
  assertStatus(creative, at);
  const format_id = canonicalFormat(creative, at, where) ?? creative.format_id;
  assertSaid(creative, at);
  return ourCreative({ ...creative, format_id }, where.nameFormat);
}

/** What is said besides of the creatives of a request, to be kept with each and told again. */
interface SaidOfCreatives extends JsonObject {
  creatives: { creative_id: string; said: JsonObject }[];
}

/**
 * The same of all that a request brings, as its `extra` keeps it; of those of which nothing is said, nothing. A request that brings none
 * says nothing of any.
 * @throws {AppError} `INVALID_REQUEST` for one id of which two things are said.
 */
export function saidOfAll(creatives: readonly AdcpCreative[]): SaidOfCreatives | undefined {
  if (creatives.length === 0) return undefined;
  const said = new Map<string, JsonObject>();
  for (const creative of creatives) {
    const { creative_id } = creative;
    const words = saidOf(creative);
    const earlier = said.get(creative_id) ?? words;
    if (canonicalJson(earlier) !== canonicalJson(words)) {
      throw invalidRequest('creatives', `${creative_id} is sent twice, with other ${TOLD_AGAIN.join(' or ')}`);
    }
    said.set(creative_id, words);
  }
  const isAnything = ([, words]: [string, JsonObject]) => Object.keys(words).length > 0;
  return { creatives: [...said].filter(isAnything).map(([creative_id, words]) => ({ creative_id, said: words })) };
}

function saidOf(creative: AdcpCreative): JsonObject {
  return Object.fromEntries(
    TOLD_AGAIN.flatMap((name) => {
      const value = creative[name] ?? undefined;
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function assertSaid(creative: AdcpCreative, at: string): void {
  if (Buffer.byteLength(JSON.stringify(saidOf(creative))) <= INPUT_LIMITS.contextBytes) return;
  const message = `with industry_identifiers, must come to at most ${INPUT_LIMITS.contextBytes} bytes`;
  throw invalidRequest(`${at}provenance`, message);
}

/** A state that its buyer would bring a creative into. */
function assertStatus({ status = null }: JsonObject, at: string): void {
  if (status === null || OF_ITSELF.includes(status)) return;
  const field = `${at}status`;
  const message = `${field}: creatives are reviewed by the seller, and archived by delete_missing`;
  throw new AppError('UNSUPPORTED_FEATURE', message, { field, suggestion: 'leave it out' });
}
