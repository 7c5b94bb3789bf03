import { SHARED_KEY_NAME } from '../../directory/operator/operator.ts';

/** Who did something, for people: the shared key goes by its setting's name on record, which is nobody's. Pure. */
export function whoWords(name: string): string {
  return name === SHARED_KEY_NAME ? `the shared operator key (${SHARED_KEY_NAME})` : name;
}
