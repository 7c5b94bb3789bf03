import { OrganizationId } from '../platform/organization-id.ts';

/** What a credential lets its holder do. */
export const SCOPES = [
  'tasks:read',
  'tasks:write',
  'registry:read',
  'registry:write',
  'webhooks:read',
  'webhooks:write',
] as const;
export type Scope = (typeof SCOPES)[number];

/** What each scope lets its holder do: in agent cards, and for the person who is asked to allow it. */
export const SCOPE_MEANINGS: Readonly<Record<Scope, string>> = {
  'tasks:read': 'see products, media buys, tasks and delivery',
  'tasks:write': 'buy, change and cancel media, and spend the budgets agreed on',
  'registry:read': 'see what the registry shows you and your organizations',
  'registry:write': 'create and change organizations, agents and API keys for you',
  'webhooks:read': 'see the webhooks that were sent to your organizations, and how your receivers answered',
  'webhooks:write': 'have webhooks sent to your organizations again, and test events sent',
};

/**
 * Who is calling, once a credential has been checked. Everything an organization owns is found by `organization_id`
 * (rule T5).
 */
export interface Caller {
  organization_id: OrganizationId;
  /** The credential or user behind the call: an API key's id or a token's subject. */
  principal_id: string;
  /** What {@link clientOf} answers, where it is not `principal_id`: of an API key that was made anew, the first of its line. */
  client_id?: string;
  scopes: readonly Scope[];
}

/** Whoever comes without a credential, to what is told to anybody. No organization has this id, and no scope is held. */
export const ANYBODY: Caller = Object.freeze({
  organization_id: OrganizationId.parse(''),
  principal_id: '',
  scopes: [],
});

/** Who a caller stays when its API key is made anew (rule R13.reroll): whose repeats and quotas these are. Records name the credential. */
export function clientOf({ client_id, principal_id }: Pick<Caller, 'client_id' | 'principal_id'>): string {
  return client_id ?? principal_id;
}

export function isAnybody(caller: Caller): boolean {
  return caller === ANYBODY;
}
