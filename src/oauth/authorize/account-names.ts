import { createHmac, hkdfSync } from 'node:crypto';

/** What stands for the account of an e-mail address, 43 characters of base64url: the same however the address is spelt. */
export type AccountNames = (email: string) => string;

/**
 * Names for accounts that give no address away, for logs and for keys in Redis: people type passwords into the wrong field. An HMAC
 * under a key derived from the installation's secret, so that whoever reads one of the two can not try addresses against it
 * (rule S5.no-secret). Another secret makes other names: nothing that lasts is kept under them.
 */
export function accountNames(secret: string): AccountNames {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'media-buy-agent account names', 32));
  return (email) => createHmac('sha256', key).update(email.trim().toLowerCase()).digest('base64url');
}
