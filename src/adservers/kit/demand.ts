/** A rule of the port, or what else a case rests on. */
export type PortRule = 'P1' | 'P2' | 'P3' | 'P4' | 'P5' | 'P6' | 'P7' | 'P8' | 'port' | 'faults' | 'statements';

/** An ad server, or its adapter, breaks a rule. The message says what was expected and what was found. */
export class RuleBroken extends Error {
  readonly rule: PortRule;
  constructor(rule: PortRule, expected: string, found: unknown, options?: { cause?: unknown }) {
    super(`${rule}: expected ${expected}, found ${shown(found)}`, options);
    this.name = 'RuleBroken';
    this.rule = rule;
  }
}

/** The ad server does nothing wrong, but a case has no meaning for it, such as a flat fee where none is sold. */
export class CannotStage extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'CannotStage';
  }
}

/** @throws {RuleBroken} unless it is so. */
export function demand(isSo: boolean, rule: PortRule, expected: string, found: unknown): asserts isSo {
  if (!isSo) throw new RuleBroken(rule, expected, found);
}

/** @throws {RuleBroken} unless both say the same as JSON. */
export function demandEqual(found: unknown, wanted: unknown, rule: PortRule, expected: string): void {
  demand(shown(found) === shown(wanted), rule, `${expected}: ${shown(wanted)}`, found);
}

/** A value in a message: JSON with its keys in order. */
function shown(value: unknown): string {
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  const text = JSON.stringify(sorted(value)) as string | undefined;
  return text ?? 'nothing';
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  );
}
