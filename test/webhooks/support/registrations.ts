import type { Registration } from '../../../src/runtime/registration.ts';
import { sealer } from '../../../src/platform/crypto/sealer.ts';
import { sealedFor } from '../../../src/webhooks/registration/webhook-target.ts';
import { SECRET } from './open-sender.ts';

/** The legacy secret that {@link registration} seals when a mode needs one. */
export const CREDENTIALS = 'c0rrect-horse-battery-staple-0123456789';

/** A stored registration of the MCP channel, unless it is said otherwise. */
export function registration(url: string, changes: Partial<Registration> & { token?: string } = {}): Registration {
  const { token, ...rest } = changes;
  const seal = (text: string) => sealer(SECRET).seal(text, sealedFor(url));
  const isLegacy = rest.mode !== undefined && rest.mode !== 'rfc9421';
  return {
    registration_id: 'r1',
    channel: 'mcp',
    url,
    operation_id: 'op-1',
    mode: 'rfc9421',
    created_at: '2026-01-01T00:00:00.000Z',
    ...(token !== undefined && { sealed_token: seal(token) }),
    ...(isLegacy && { sealed_credentials: seal(CREDENTIALS) }),
    ...rest,
  };
}
