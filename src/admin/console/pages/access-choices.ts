import { OPERATOR_ROLES } from '../../../directory/operator/operator.ts';

const ROLE_MEANINGS = {
  viewer: 'sees all but secrets',
  operator: 'also decides and sends again',
  admin: 'also gives and takes access',
} as const;

/** What each role may, in short. */
export const ROLES = OPERATOR_ROLES.map((role) => [role, `${role}: ${ROLE_MEANINGS[role]}`] as const);

/** After how many days a key may end. */
export const KEY_LIVES = [
  ['30', 'in 30 days'],
  ['90', 'in 90 days'],
  ['365', 'in a year'],
  ['', 'not by itself'],
] as const;
