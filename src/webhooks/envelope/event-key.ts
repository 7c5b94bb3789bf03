import { createHmac } from 'node:crypto';

/** What makes an event one at one registration. */
export interface KeyedEvent {
  /** See `deliveryId`. */
  delivery_id: string;
  /** One that was registered anew under the same id may be told in another form, and so under another key. */
  registered_at: string;
}

/**
 * The idempotency key of an event at a registration: a UUID of version 4 (RFC 9562) whose random bits are an HMAC-SHA-256 under
 * the run's seed, so that it is the same whenever and wherever it is made, and no secret's rotation changes it (rule W20). Who
 * receives keys learns nothing about the seed or about other keys.
 */
export function eventKey(seed: string, { delivery_id, registered_at }: KeyedEvent): string {
  const bytes = createHmac('sha256', seed)
    .update(JSON.stringify([delivery_id, registered_at]))
    .digest()
    .subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
