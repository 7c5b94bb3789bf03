/** One rule broken on purpose, at one place of the source: tests must turn red by it. */
export interface Mutant {
  /** What the product does then. */
  name: string;
  /** The rule that it breaks, as docs call it. */
  rule: string;
  /** From the project's folder. */
  file: string;
  /** What stands in the file, exactly once. */
  text: string;
  by: string;
  /** The quickest tests that must see it. */
  seenBy: readonly Tests[];
}

/** Tests of one file: all, or those whose full name matches. */
export interface Tests {
  file: string;
  named?: RegExp;
}

/** The file with the mutant built in. @throws {Error} when its text does not stand there exactly once. */
export function mutated(source: string, { name, file, text, by }: Mutant): string {
  const [before, after, ...more] = source.split(text);
  if (before === undefined || after === undefined || more.length > 0) {
    throw new Error(`"${name}": its text stands ${source.split(text).length - 1} times in ${file}, not once`);
  }
  return before + by + after;
}
