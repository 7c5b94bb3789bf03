import { WEBHOOK_MODES } from '../../runtime/webhook-modes.ts';
import type { WebhookMode } from '../../runtime/webhook-modes.ts';
import { SCHEMES } from './index.ts';
import type { Scheme, SchemePolicy } from './scheme.ts';

/** A scheme as a buyer named it. */
export interface NamedScheme {
  mode: WebhookMode;
  scheme: Scheme;
  /** The buyer's own spelling of its name. */
  spelling: string;
}

/** The mode of a registration that names no scheme. */
export const UNNAMED_MODE = 'rfc9421' satisfies WebhookMode;

/** The schemes that buyers may name in `authentication`, strongest first. */
const NAMED = WEBHOOK_MODES.flatMap((mode) => {
  const scheme: Scheme = SCHEMES[mode];
  return scheme.wireName === null ? [] : [{ mode, scheme, wireName: scheme.wireName }];
});

/** What they are called. */
export const WIRE_NAMES = WEBHOOK_MODES.flatMap((mode) => SCHEMES[mode].wireName ?? []);

/** Whether credentials come with every name there is, so that a block without them fits none. */
export const EVERY_NAME_NEEDS_CREDENTIALS = NAMED.every(({ scheme }) => scheme.secret === 'credentials');

/** The strongest scheme among these names, spelled in any case; undefined when none of them is known. */
export function strongestNamed(names: readonly string[]): NamedScheme | undefined {
  for (const { mode, scheme, wireName } of NAMED) {
    const spelling = names.find((name) => name.toLowerCase() === wireName.toLowerCase());
    if (spelling !== undefined) return { mode, scheme, spelling };
  }
  return undefined;
}

/** The names of the schemes that every task accepts here: what the agent tells buyers to choose from. */
export function advertisedSchemes(policy: Pick<SchemePolicy, 'allowLegacyBearer'>): string[] {
  return namesOf(policy, () => true);
}

/** Those of them that are deprecated. */
export function advertisedLegacySchemes(policy: Pick<SchemePolicy, 'allowLegacyBearer'>): string[] {
  return namesOf(policy, ({ legacy }) => legacy);
}

function namesOf(
  { allowLegacyBearer }: Pick<SchemePolicy, 'allowLegacyBearer'>,
  isMeant: (scheme: Scheme) => boolean,
): string[] {
  const policy = { mutates: true, allowLegacyBearer };
  return NAMED.filter(({ scheme }) => scheme.unavailable(policy) === undefined && isMeant(scheme)).map(
    ({ wireName }) => wireName,
  );
}
