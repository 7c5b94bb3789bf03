import type { DocumentSigner } from '../../platform/crypto/document-signer.ts';
import { JWKS_PATH } from '../../webhooks/keys/documents.ts';
import type { Core } from './compose.ts';

/** Documents are signed with a key of the set that webhooks are verified with; the same one, unless one signs webhooks only. */
export async function documentSigner({
  webhooks,
  baseUrl,
}: Pick<Core, 'webhooks' | 'baseUrl'>): Promise<DocumentSigner> {
  const { kid, privateKey, publicJwk } = await webhooks.keys.signer();
  return { kid, privateKey, alg: publicJwk.alg, jku: `${baseUrl}${JWKS_PATH}` };
}
