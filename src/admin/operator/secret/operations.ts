import { operation } from '../operation.ts';
import { Resealed } from './resealed.ts';

/** Takes what 0.1.0 left out of the store, keeping it sealed for what it still has to open, and seals the rest anew (rule S4). */
export const moveOutSecret = operation({
  method: 'post',
  path: '/secret/move-out',
  summary:
    'Take the secret that 0.1.0 left out of the store, end the keys that it sealed there, and seal everything anew with the present one.',
  role: 'admin',
  action: 'secret.move_out',
  done: ({ rows }) => `Rows that were sealed anew: ${rows}.`,
  decides: 'secret.resealed',
  concerns: ({ rows, stuck }) => ({ reason: `${rows} rows, ${stuck} values left` }),
  answer: Resealed,
  handle: (_input, { resealStore: reseal }) => reseal({ endsFormer: false }),
});

/** The same, after a secret has leaked and another is set: what was kept of the former is ended, too, once nothing needs it. */
export const resealStore = operation({
  method: 'post',
  path: '/secret/reseal',
  summary: 'Seal everything stored anew with the present secret, so that a former one can be taken away.',
  role: 'admin',
  action: 'secret.reseal',
  done: ({ rows }) => `Rows that were sealed anew: ${rows}.`,
  decides: 'secret.resealed',
  concerns: ({ rows, stuck }) => ({ reason: `${rows} rows, ${stuck} values left` }),
  answer: Resealed,
  handle: (_input, { resealStore: reseal }) => reseal({ endsFormer: true }),
});
