import { WEBHOOK_MODES } from '../../runtime/webhook-modes.ts';
import type { WebhookMode } from '../../runtime/webhook-modes.ts';
import { SCHEMES } from './index.ts';
import type { CredentialsScheme, Scheme, SchemePolicy } from './scheme.ts';

/** A scheme as a buyer named it. */
export interface NamedScheme {
  mode: WebhookMode;
  scheme: CredentialsScheme;
  /** The buyer's own spelling of its name. */
  spelling: string;
}

/** The mode of a registration that names no scheme. */
export const UNNAMED_MODE = 'rfc9421' satisfies WebhookMode;

/** What buyers may name in `authentication`, strongest first. */
export const WIRE_NAMES = WEBHOOK_MODES.flatMap((mode) => SCHEMES[mode].wireName ?? []);

/** The same with their schemes. */
const NAMED = WEBHOOK_MODES.flatMap((mode) => {
  const scheme: Scheme = SCHEMES[mode];
  return scheme.wireName === null ? [] : [{ mode, scheme }];
});

/** The strongest scheme among these names, spelled in any case; undefined when none of them is known. */
export function strongestNamed(names: readonly string[]): NamedScheme | undefined {
  for (const { mode, scheme } of NAMED) {
    const wireName = scheme.wireName.toLowerCase();
    const spelling = names.find((name) => name.toLowerCase() === wireName);
    if (spelling !== undefined) return { mode, scheme, spelling };
  }
  return undefined;
}

/** The names of the schemes that every task accepts here: what the agent advertises. */
export function advertisedSchemes({ allowLegacyBearer }: Pick<SchemePolicy, 'allowLegacyBearer'>): string[] {
  const policy = { mutates: true, allowLegacyBearer };
  return NAMED.filter(({ scheme }) => scheme.unavailable(policy) === undefined).map(({ scheme }) => scheme.wireName);
}
