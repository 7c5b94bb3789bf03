import { createHash } from 'node:crypto';
import type { Delivery } from './delivery.ts';

/** One organization's receiver: what rows about it are called by. Another organization's at the same place is another one. */
export function receiverId({
  organization_id,
  destination,
}: Pick<Delivery, 'organization_id' | 'destination'>): string {
  return createHash('sha256')
    .update(JSON.stringify([organization_id, destination]))
    .digest('hex')
    .slice(0, 32);
}
