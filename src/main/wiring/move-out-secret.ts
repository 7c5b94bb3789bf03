import type { MovedOut } from '../../admin/operator/secret/moved-out.ts';
import { forgetLeftSecret, keepFormerSecret, leftSecret } from '../../platform/crypto/secret.ts';
import { AppError } from '../../platform/errors.ts';
import type { Infrastructure } from './infrastructure.ts';
import { sealStoreAnew } from './seal-anew.ts';

/**
 * Takes the secret that 0.1.0 left in the store out of it, and seals everything stored with the present one (rule S4). What
 * processes that know only the former seal meanwhile opens still: the former stays, sealed by the present one. Killed anywhere,
 * it loses nothing, and is to be said again.
 * @throws {AppError} `INVALID_STATE` while `SECRET_KEY` is not set.
 */
export async function moveLeftSecret(
  deps: Pick<Infrastructure, 'config' | 'store' | 'clock' | 'log' | 'sealer'>,
): Promise<MovedOut> {
  const { config, store, clock, log, sealer } = deps;
  const left = await leftSecret(store);
  if (left !== undefined) {
    if (config.secretKey === undefined)
      throw new AppError('INVALID_STATE', 'SECRET_KEY is not set, so the secret in the store is the one that seals', {
        suggestion: 'set SECRET_KEY for every server and worker, start them again, and then say it again',
      });
    await keepFormerSecret({ store, clock, sealer }, left);
    await forgetLeftSecret(store);
  }
  const { rows, stuck, unread } = await sealStoreAnew(store, sealer);
  log.info({ rows, stuck, unread, was_in_store: left !== undefined }, 'stored secrets are sealed anew');
  return { rows, was_in_store: left !== undefined };
}
