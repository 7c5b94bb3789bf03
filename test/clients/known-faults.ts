/** A step that is known to fail: it is named with its reason, counts as skipped, and is run all the same. */
export interface KnownFault {
  /** The program's name. */
  program: string;
  /** All bindings unless one is named. */
  binding?: string;
  step: string;
  why: string;
}

/** Faults of the other side, which no change here would end. What is our own fault is mended, not listed. */
const THEIRS: readonly KnownFault[] = [
  {
    program: 'a2a-go v2.3.1',
    step: 'card',
    why: 'it cannot parse a 1.0 card with securityRequirements (a2a-go #430)',
  },
  ...['JSONRPC', 'HTTP+JSON'].map((binding) => ({
    program: 'a2a-go v2.3.1',
    binding,
    step: 'extended card',
    why: 'it cannot parse a 1.0 card with securityRequirements (a2a-go #430)',
  })),
  ...['refusal', 'refused stream', 'unknown task'].map((step) => ({
    program: 'a2a-sdk 0.3.26 for Python',
    binding: 'HTTP+JSON',
    step,
    why: 'it shows the status of an HTTP refusal and none of its text',
  })),
];

/** Why a step may fail, if it may. */
export function knownFault(program: string, binding: string, step: string): string | undefined {
  return THEIRS.find(
    (fault) => fault.program === program && (fault.binding ?? binding) === binding && fault.step === step,
  )?.why;
}
