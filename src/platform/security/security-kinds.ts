/** How a decision ended: somebody was let in or given something, was refused, or something handed out was taken back. */
export type SecurityOutcome = 'allowed' | 'refused' | 'ended';

interface SecurityKindSpec {
  outcome: SecurityOutcome;
  /** What was decided, for people. */
  about: string;
  /** Strangers cause it at will: of one address only the first few a minute are written, the rest counted. */
  isFlood?: true;
}

/**
 * Every decision about access that is put on record, in one list. A kind has one outcome; who it concerns and why stand beside it
 * (`security-log.ts`). A test causes each of them and looks for one event.
 */
export const SECURITY_KINDS = {
  'api_key.made': { outcome: 'allowed', about: 'an API key was made' },
  'api_key.first_used': { outcome: 'allowed', about: 'an API key was used for the first time' },
  'api_key.revoked': { outcome: 'ended', about: 'an API key was revoked' },
  'api_key.rerolled': { outcome: 'ended', about: 'an API key was made anew: the former one ends with its overlap' },
  'credential.refused': {
    outcome: 'refused',
    about: 'an API key or access token is unknown, expired or revoked',
    isFlood: true,
  },
  'access.refused': {
    outcome: 'refused',
    about: 'a good credential may not do this: it lacks a scope, a role, or an organization to act for',
    isFlood: true,
  },
  'console.signed_in': { outcome: 'allowed', about: 'a one-time link opened the console' },
  'console.link_refused': { outcome: 'refused', about: 'a one-time link is unknown, used or too old', isFlood: true },
  'console.oidc_signed_in': { outcome: 'allowed', about: "the organization's identity provider opened the console" },
  'console.oidc_refused': {
    outcome: 'refused',
    about:
      'a sign-in by the identity provider came to nothing: of another browser, not good, or of nobody who was invited',
    isFlood: true,
  },
  'console.signed_out': { outcome: 'ended', about: 'a session of the console was ended by its person' },
  'console.cross_site': { outcome: 'refused', about: 'another site asked for a change in the console', isFlood: true },
  'console.queue_refused': { outcome: 'refused', about: 'a change of the queues that nobody may make there' },
  'console.link_made': { outcome: 'allowed', about: 'an operator made a one-time link into the console' },
  'console.sessions_ended': { outcome: 'ended', about: 'an operator ended sessions of the console' },
  'portal.link_made': { outcome: 'allowed', about: "a one-time link into the buyers' portal was made" },
  'portal.account_signed_in': {
    outcome: 'allowed',
    about: "somebody opened the buyers' portal with their own account",
  },
  'portal.link_used': { outcome: 'allowed', about: "a one-time link opened the buyers' portal" },
  'portal.sessions_ended': { outcome: 'ended', about: "an operator ended an organization's sessions in the portal" },
  'operator.refused': { outcome: 'refused', about: 'a key of the operator API is not good', isFlood: true },
  'operator_key.made': { outcome: 'allowed', about: 'a key of the operator API was made' },
  'operator_key.revoked': { outcome: 'ended', about: 'a key of the operator API was revoked' },
  'person.invited': { outcome: 'allowed', about: 'a person was invited to work here' },
  'person.role_changed': { outcome: 'allowed', about: 'a person who works here was given another role' },
  'person.removed': { outcome: 'ended', about: 'a person who worked here was removed, with keys and sessions' },
  'organization.suspended': { outcome: 'ended', about: 'an organization was suspended: its credentials open nothing' },
  'organization.restored': { outcome: 'allowed', about: 'the suspension of an organization was ended' },
  'account.signed_in': { outcome: 'allowed', about: 'a person signed in at the authorization server' },
  'account.refused': { outcome: 'refused', about: 'address and password do not belong together', isFlood: true },
  'account.locked': { outcome: 'refused', about: 'too many failed sign-ins; even a right one waits', isFlood: true },
  'account.signed_out': { outcome: 'ended', about: 'a person signed out at the authorization server' },
  'account.ended': { outcome: 'ended', about: "an operator ended all of a buyer's person: grants, tokens, sign-ins" },
  'consent.given': { outcome: 'allowed', about: 'a person allowed an application something' },
  'consent.denied': { outcome: 'refused', about: 'a person allowed an application nothing' },
  'client.registered': { outcome: 'allowed', about: 'an application registered itself' },
  'token.issued': { outcome: 'allowed', about: 'an application was given tokens' },
  'token.refused': { outcome: 'refused', about: 'an application was refused tokens', isFlood: true },
  'grant.revoked': { outcome: 'ended', about: 'what a person had allowed an application was ended' },
  'member.role_changed': { outcome: 'allowed', about: 'a member of an organization was given another role' },
  'member.left': { outcome: 'ended', about: 'a member left an organization, or was removed' },
  'organization.transferred': { outcome: 'allowed', about: 'an owner made another member the owner instead' },
  'domain.proved': {
    outcome: 'allowed',
    about: 'a person proved a domain: an organization without owner is theirs, or theirs has one domain more',
  },
  'domain.assigned': { outcome: 'allowed', about: 'an operator gave an organization its first domain' },
  'domain.released': {
    outcome: 'ended',
    about: 'an organization let go of a domain that it had proved, or an operator took it',
  },
  'signature.refused': { outcome: 'refused', about: 'a signature or shared token is wrong', isFlood: true },
  'signing_key.made': { outcome: 'allowed', about: 'a key that signs webhooks and the card was added' },
  'signing_key.revoked': { outcome: 'ended', about: 'the trust in a signing key was ended' },
  'secret.resealed': { outcome: 'ended', about: 'what a former secret of the installation sealed was sealed anew' },
  'address.refused': { outcome: 'refused', about: 'no request may be sent to this address', isFlood: true },
} as const satisfies Record<string, SecurityKindSpec>;

export type SecurityKind = keyof typeof SECURITY_KINDS;
