/** One rule of the product. `proved`: some test's title names it as `[id]`. `open`: not yet built or proved, and why. */
export type Requirement = {
  /** `W7` for a decision; `C.section.n` for a rule of the contract, counted as the contract's section counts. */
  id: string;
  /** Where the rule stands: the section of the contract, or `decisions`. */
  source: string;
  /** The rule in one line. */
  text: string;
} & ({ status: 'proved' } | { status: 'open'; reason: string });

export function proved(id: string, source: string, text: string): Requirement {
  return { id, source, text, status: 'proved' };
}

export function open(id: string, source: string, text: string, reason: string): Requirement {
  return { id, source, text, status: 'open', reason };
}
