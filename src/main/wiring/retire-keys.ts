import { retireOperatorKey } from '../../admin/operator/operator-key.ts';
import { retireTokenKeys } from '../../oauth/keys/retire-token-keys.ts';
import { sealedKeyId, sealer } from '../../platform/crypto/sealer.ts';
import type { Store } from '../../platform/store/collection.ts';

/**
 * Ends the operator's key and the access tokens' keys that a secret sealed which lay in the store beside them: it is no secret to
 * whoever could read the store, and they hold these keys. Before the secret is forgotten, so that who goes on after a kill knows
 * what is to go.
 */
export async function retireWhatItSealed(store: Store, left: string): Promise<void> {
  const { keyId } = sealer(left);
  const isCopied = (sealed: string) => sealedKeyId(sealed) === keyId;
  await retireOperatorKey(store, isCopied);
  await retireTokenKeys(store, isCopied);
}
