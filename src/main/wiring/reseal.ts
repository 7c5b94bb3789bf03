import { forgetFormerSecret, forgetLeftSecret, keepFormerSecret, leftSecret } from '../../platform/crypto/secret.ts';
import { AppError } from '../../platform/errors.ts';
import type { Resealed } from '../../admin/operator/secret/resealed.ts';
import type { Infrastructure } from './infrastructure.ts';
import { retireWhatItSealed } from './retire-keys.ts';
import { sealStoreAnew } from './seal-anew.ts';

/**
 * Seals everything stored with the present secret, in this order (rules S4, S5.take-back): what 0.1.0 left in the store is kept,
 * sealed by the present secret, for what processes that know no other seal meanwhile; the operator's key and the access tokens'
 * keys that lay open beside it are ended; it is forgotten; all the rest is sealed anew. Killed anywhere, it loses nothing, and is to
 * be said again.
 * @param endsFormer Ends the secret so kept, too: whoever has read a secret that leaked could open that one. It stays while anything
 * that it sealed is left, and when it has only now been taken out: a process that knows no other may still run.
 * @throws {AppError} `INVALID_STATE` where the secret in the store is the one that seals, since `SECRET_KEY` is not set.
 */
export async function reseal(
  deps: Pick<Infrastructure, 'config' | 'store' | 'clock' | 'log' | 'sealer'>,
  { endsFormer }: { endsFormer: boolean },
): Promise<Resealed> {
  const { config, store, clock, log, sealer } = deps;
  const left = await leftSecret(store);
  if (left !== undefined) {
    if (config.secretKey === undefined)
      throw new AppError('INVALID_STATE', 'SECRET_KEY is not set, so the secret in the store is the one that seals', {
        suggestion: 'set SECRET_KEY for every server and worker, start them again, and then say it again',
      });
    await keepFormerSecret({ store, clock, sealer }, left);
    await retireWhatItSealed(store, left);
    await forgetLeftSecret(store);
  }
  const walked = await sealStoreAnew(store, sealer);
  if (endsFormer && left === undefined && walked.stuck + walked.unread === 0) await forgetFormerSecret(store);
  const resealed = { was_in_store: left !== undefined, ...walked };
  log.info(resealed, 'stored secrets are sealed anew');
  return resealed;
}
