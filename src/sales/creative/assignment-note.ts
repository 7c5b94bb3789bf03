import { creativeIdOf } from './creative-ref.ts';

/** Longer ones are cut. */
const MAX_LENGTH = 500;
const ASSIGNED = 'creatives assigned: ';
const TAKEN_OUT = 'taken out: ';

/** What the history of a buy says of creatives, by the names that rows have them by, that came to its packages, and that were taken out. Pure. */
export function assignmentNote(added: readonly string[], removed: readonly string[]): string {
  const words = [inWords(ASSIGNED, added), inWords(TAKEN_OUT, removed)].filter((one) => one !== '');
  return words.join('; ').slice(0, MAX_LENGTH);
}

/** Such as `taken out: a, b`; nothing where there are none. */
function inWords(what: string, refs: readonly string[]): string {
  return refs.length === 0 ? '' : `${what}${[...new Set(refs.map(creativeIdOf))].join(', ')}`;
}

/** Whether such a note may be of a creative of this id that came to a package: of one that was cut, that is not known. Pure. */
export function maySayAssigned(note: string, creative_id: string): boolean {
  if (!note.startsWith(ASSIGNED)) return false;
  if (note.length >= MAX_LENGTH) return true;
  const end = note.lastIndexOf(`; ${TAKEN_OUT}`);
  const ids = note.slice(ASSIGNED.length, end === -1 ? undefined : end);
  // An id may have a comma in it.
  return `, ${ids}, `.includes(`, ${creative_id}, `);
}
