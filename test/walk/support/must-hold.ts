/** An invariant that does not hold, with its id or a word for it. */
export class InvariantBroken extends Error {
  constructor(invariant: string, how: string) {
    super(`${invariant}: ${how}`);
    this.name = 'InvariantBroken';
  }
}

/** @throws {InvariantBroken} when it does not. */
export function mustHold(holds: boolean, invariant: string, how: () => string): void {
  if (!holds) throw new InvariantBroken(invariant, how());
}
