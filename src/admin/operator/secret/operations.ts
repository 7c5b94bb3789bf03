import { operation } from '../operation.ts';
import { MovedOut } from './moved-out.ts';
import { Resealed } from './resealed.ts';

/** Seals everything stored with the present secret, and only then takes what 0.1.0 left out of the store (rule S4). */
export const moveOutSecret = operation({
  method: 'post',
  path: '/secret/move-out',
  summary: 'Seal everything stored anew with the present secret, and take the one that 0.1.0 left out of the store.',
  role: 'admin',
  action: 'secret.move_out',
  answer: MovedOut,
  handle: (_input, { moveOutSecret: moveOut }) => moveOut(),
});

/** After a secret has leaked and another is set: what the former sealed is sealed anew, so that it can be taken away. */
export const resealStore = operation({
  method: 'post',
  path: '/secret/reseal',
  summary: 'Seal everything stored anew with the present secret, so that a former one can be taken away.',
  role: 'admin',
  action: 'secret.reseal',
  answer: Resealed,
  handle: (_input, { resealStore: reseal }) => reseal(),
});
