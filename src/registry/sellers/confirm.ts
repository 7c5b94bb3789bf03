import { registrableDomain } from '../../directory/domain/normalize-domain.ts';
import type { AdsTxtFacts } from '../../directory/seller/ads-txt-file.ts';
import type { AdsTxtRecord, Seller } from '../../directory/seller/seller-page.ts';

/** What an ad system's sellers.json makes of a line of an ads.txt, by code: in which group it is, and why, in words. */
export const CONFIRMATIONS = {
  own_account: ['confirmed', "the account is the publisher's own, or its owner's"],
  account_of_manager: ['confirmed', 'the account is that of a manager whom the ads.txt names'],
  reseller_account: ['confirmed', 'the account is that of an intermediary, as a RESELLER line says'],
  intermediary_as_direct: ['contradicted', 'the line says DIRECT, and the account is that of an intermediary'],
  another_owner: ['contradicted', "the line says DIRECT, and the account has another owner's domain"],
  publisher_as_reseller: ['contradicted', 'the line says RESELLER, and the account is that of a publisher'],
  no_domain: ['unclear', 'the line says DIRECT, and sellers.json does not say whose the account is'],
  no_seller_type: ['unclear', 'sellers.json gives the account no seller_type of the norm'],
  hidden_owner: ['confidential', 'sellers.json lists the account and keeps its owner confidential'],
  seller_not_listed: ['not_listed', 'sellers.json does not list the account'],
  file_cut: ['not_read', 'sellers.json is larger than what is read of it; the account is not in that part'],
  file_unreachable: ['unreachable', 'sellers.json could not be read'],
  file_not_read: ['not_read', 'sellers.json has not been read yet'],
  system_not_followed: ['not_read', 'the ad system is beyond those of an ads.txt whose sellers.json is read'],
} as const satisfies Record<string, readonly [string, string]>;
export type ConfirmationCode = keyof typeof CONFIRMATIONS;

/** Whose file a line is in, and whom it names besides. */
export type LineOwner = { publisher_domain: string } & Pick<AdsTxtFacts, 'owner_domain' | 'managers'>;

/** Judges a line by the account's entry. Domains are those of one owner where their registrable domains are the same. */
export function confirmationOf(
  { relationship }: Pick<AdsTxtRecord, 'relationship'>,
  { publisher_domain, owner_domain, managers }: LineOwner,
  { seller_type, domain, is_confidential }: Omit<Seller, 'seller_id'>,
): ConfirmationCode {
  if (is_confidential === true) return 'hidden_owner';
  if (seller_type === null) return 'no_seller_type';
  if (relationship === 'RESELLER') return seller_type === 'PUBLISHER' ? 'publisher_as_reseller' : 'reseller_account';
  if (domain !== undefined && managers.some((manager) => isOfOne(manager.domain, domain))) return 'account_of_manager';
  if (seller_type === 'INTERMEDIARY') return 'intermediary_as_direct';
  if (domain === undefined) return 'no_domain';
  const isOwn = isOfOne(publisher_domain, domain) || (owner_domain !== null && isOfOne(owner_domain, domain));
  return isOwn ? 'own_account' : 'another_owner';
}

function isOfOne(a: string, b: string): boolean {
  return (registrableDomain(a) ?? a) === (registrableDomain(b) ?? b);
}
