/** One rule of the product. `proved`: some test's title names it as `[id]`. `open`: not yet built or proved, and why. */
export type Requirement = {
  /** A letter and a number, `W7`; with a name, `W7.retry-after`, for a part of it that stands apart; or `C.place.name`. */
  id: string;
  /** The section of `docs/rules.md` that it stands in. */
  section: string;
  /** The rule in one line of Markdown that can be worked by alone, in at most a few sentences. */
  text: string;
} & ({ status: 'proved' } | { status: 'open'; reason: string });

export function proved(id: string, section: string, text: string): Requirement {
  return { id, section, text, status: 'proved' };
}

export function open(id: string, section: string, text: string, reason: string): Requirement {
  return { id, section, text, status: 'open', reason };
}
