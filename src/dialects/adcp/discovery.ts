import { ANYBODY } from '../../directory/caller.ts';
import type { Caller } from '../../directory/caller.ts';
import { AppError } from '../../platform/errors.ts';
import { isObject } from '../../platform/json-object.ts';
import type { JsonObject } from '../../platform/json-object.ts';
import { parseInput } from '../../platform/validation.ts';
import { echoed } from '../../runtime/context-text.ts';
import { translating } from './answers.ts';
import type { AnswerDependencies, PublicAnswer } from './answers.ts';
import { refusedAnswer } from './call.ts';
import { needsCredential } from './credential-refusal.ts';
import type { PublicCall } from './public-call.ts';
import { enveloped } from './envelope.ts';
import { servedRelease } from './release.ts';
import type { ReleaseChoice } from './release.ts';

/** How much is told to those who come without a credential. */
export const DISCOVERY_LEVELS = ['none', 'capabilities', 'products'] as const;
export type DiscoveryLevel = (typeof DISCOVERY_LEVELS)[number];

const DISCOVERABLE: Readonly<Record<DiscoveryLevel, readonly string[]>> = {
  none: [],
  capabilities: ['get_adcp_capabilities'],
  products: ['get_adcp_capabilities', 'list_creative_formats', 'get_products'],
};

/** What anybody may ask. */
export function discoverable(level: DiscoveryLevel): ReadonlySet<string> {
  return new Set(DISCOVERABLE[level]);
}

/** An answer that no task is kept of. */
export type DiscoveryAnswer = Omit<PublicAnswer, 'run'>;

/** One call without a credential. */
export type DiscoveryCall = Pick<PublicCall, 'skill' | 'request' | 'contextText'>;

/** Who asks within: may read what is the same for all, and nothing is anybody's own under this id. */
const READER: Caller = { ...ANYBODY, scopes: ['tasks:read'] };

/**
 * Answers what anybody may ask (rule D6); nothing is stored, and no price is told.
 * @throws {AppError} `UNAUTHORIZED` for all else. Faults.
 */
export async function answerAnybody(
  deps: AnswerDependencies & { releases: ReleaseChoice; discovery: ReadonlySet<string> },
  { skill, request, contextText: context_text }: DiscoveryCall,
): Promise<DiscoveryAnswer> {
  const translator = deps.discovery.has(skill) ? deps.translators.get(skill) : undefined;
  if (translator === undefined) throw needsCredential(request, deps.releases);
  try {
    const served = servedRelease(request, deps.releases);
    assertNoPriceIsAsked(request);
    const parsed = parseInput(translator.input, request);
    const context = translating(deps, READER, served);
    const { input, task = translator.task, extra = {} } = await translator.in(parsed, context);
    const result = await deps.runtime.peek(READER, task, input);
    const told = unpriced(await translator.out(result, { ...context, extra }));
    const { context: asked } = request;
    const around = { served, ...(asked !== undefined && { context: echoed({ context: asked, context_text }) }) };
    return { outcome: 'completed', text: TOLD, body: enveloped(told, around) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { outcome: 'failed', text: error.message, body: refusedAnswer(error, request, deps.releases) };
  }
}

const TOLD = 'this is told to anybody; prices, and all else, to those with a credential';

/** Step by step, a filter by amounts would tell what they are. */
function assertNoPriceIsAsked({ filters }: JsonObject): void {
  if (!isObject(filters) || filters['budget_range'] === undefined) return;
  const field = 'filters.budget_range';
  throw new AppError('INVALID_REQUEST', `${field}: prices are told to those with a credential; leave it out`, {
    field,
  });
}

/** An answer without its amounts: what is left says how is paid, and in which currency. */
function unpriced(answer: JsonObject): JsonObject {
  const { products, ...told } = answer;
  if (!Array.isArray(products)) return told;
  const shown = (products as JsonObject[]).map((product) => {
    const options = product['pricing_options'];
    return Array.isArray(options) ? { ...product, pricing_options: (options as JsonObject[]).map(terms) } : product;
  });
  return { products: shown, ...told, ...('cache_scope' in told && { cache_scope: 'public' }) };
}

function terms({ pricing_option_id, pricing_model, currency }: JsonObject): JsonObject {
  return { pricing_option_id, pricing_model, currency };
}
