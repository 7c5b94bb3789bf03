import { latin1 } from './bytes.ts';

/** The components that a webhook signature covers, no more and no fewer (rule C.webhook.signatures.3). */
export const COVERED_COMPONENTS = ['@method', '@target-uri', '@authority', 'content-type', 'content-digest'] as const;

/** The longest validity of a signature, in seconds (rule C.webhook.signatures.7). */
export const MAX_VALIDITY_SECONDS = 300;

/** A component that a webhook signature covers. */
export type CoveredComponent = (typeof COVERED_COMPONENTS)[number];

/** The five values that are signed; headers exactly as they stand on the wire. */
export type ComponentValues = Readonly<Record<CoveredComponent, string>>;

/** Whether these are the five components, each once, in any order. */
export function areCoveredComponents(names: readonly string[]): names is CoveredComponent[] {
  return names.length === COVERED_COMPONENTS.length && COVERED_COMPONENTS.every((name) => names.includes(name));
}

/**
 * The bytes that are signed (RFC 9421 section 2.5): one line per component in the order given, then the signature
 * parameters in the very text of the `Signature-Input` header; lines joined by LF, none at the end.
 */
export function signatureBase(order: readonly CoveredComponent[], values: ComponentValues, params: string): Uint8Array {
  const lines = order.map((name) => `"${name}": ${values[name]}\n`);
  return latin1(`${lines.join('')}"@signature-params": ${params}`);
}
