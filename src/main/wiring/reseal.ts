import { forgetFormerSecret } from '../../platform/crypto/secret.ts';
import type { Infrastructure } from './infrastructure.ts';
import { sealStoreAnew } from './seal-anew.ts';
import type { StoreSealedAnew } from './seal-anew.ts';

/**
 * Seals everything stored with the present secret, and then ends the one that `secret move-out` kept: whoever had read a
 * secret that leaked could open that one, too. While anything is left it stays, and this is to be said again (rule S5.take-back).
 */
export async function resealAndForget({
  store,
  sealer,
}: Pick<Infrastructure, 'store' | 'sealer'>): Promise<StoreSealedAnew> {
  const walked = await sealStoreAnew(store, sealer);
  if (walked.stuck + walked.unread === 0) await forgetFormerSecret(store);
  return walked;
}
