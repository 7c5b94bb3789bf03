import { z } from 'zod';
import { toTimestamp } from '../../platform/clock.ts';
import { AccountStatus, movedAccount } from '../../sales/account/account.ts';
import { asTransitionRefusal } from './refusal.ts';
import { scenario } from './scenario.ts';
import { sandboxAccount } from './scene.ts';

/** Moves a sandbox account as an operator of the seller would. */
export const forceAccountStatus = scenario({
  name: 'force_account_status',
  params: z.looseObject({ account_id: z.string().max(256), status: AccountStatus }),
  async play({ account_id, status }, scene) {
    const { status: previous_state } = await sandboxAccount(scene, account_id);
    const at = toTimestamp(scene.clock.now());
    await scene.accounts
      .update(account_id, (row) => movedAccount(row, status, at))
      .catch((error: unknown) => asTransitionRefusal(error));
    return { previous_state, current_state: status };
  },
});
