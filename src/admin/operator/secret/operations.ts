import { operation } from '../operation.ts';
import { MovedOut } from './moved-out.ts';

/** Takes what 0.1.0 left out of the store, and seals everything stored with the present secret (rule S4). */
export const moveOutSecret = operation({
  method: 'post',
  path: '/secret/move-out',
  summary: 'Seal everything stored anew with the present secret, and take the one that 0.1.0 left out of the store.',
  role: 'admin',
  action: 'secret.move_out',
  answer: MovedOut,
  handle: (_input, { moveOutSecret: moveOut }) => moveOut(),
});
