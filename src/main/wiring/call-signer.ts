import type { CallToProve } from '../../adservers/http/http-ad-server.ts';
import { signCall } from '../../webhooks/calls/call-signature.ts';
import { createKeySet } from '../../webhooks/keys/key-set.ts';
import type { KeySet } from '../../webhooks/keys/key-set.ts';
import { SigningKeys } from '../../webhooks/keys/signing-key-row.ts';
import { readKeySetOptions } from '../config/signing-keys.ts';
import type { Infrastructure } from './infrastructure.ts';

/** Signs calls to an ad server with the key that signs all but webhooks, and that the agent's JWKS shows. */
export function callSigner({
  config,
  store,
  sealer,
  names,
  clock,
  log,
}: Infrastructure): (call: CallToProve) => Promise<Record<string, string>> {
  let keys: KeySet | undefined;
  return async (call) => {
    keys ??= createKeySet({
      ...(await readKeySetOptions(config.signing)),
      ...{ keys: store.collection(SigningKeys), sealer, names, clock, log },
    });
    return signCall({ ...call, key: await keys.signer(), now: clock.now() });
  };
}
