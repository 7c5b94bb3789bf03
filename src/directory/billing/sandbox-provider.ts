import { createHash, createHmac, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { fromTimestamp, toTimestamp } from '../../platform/clock.ts';
import type { Clock } from '../../platform/clock.ts';
import { OrganizationId } from '../../platform/organization-id.ts';
import type { Store } from '../../platform/store/collection.ts';
import { parseJson } from '../../platform/intake/parse-json.ts';
import { MEMBERSHIP_TIERS, SubscriptionStatus } from '../organization/organization.ts';
import type { MembershipTier } from '../organization/organization.ts';
import type { BillingProvider } from './billing-provider.ts';
import { signEvent, verifyEvent } from './event-signature.ts';
import { sandboxSessions } from './sandbox-session.ts';
import type { SandboxSession } from './sandbox-session.ts';

export const SANDBOX_SIGNATURE_HEADER = 'sandbox-signature';

export interface SandboxDeps {
  store: Store;
  clock: Clock;
  baseUrl: () => string;
  /** The installation's; events are signed with one derived from it. */
  secret: string;
}

/** A provider without money, on this very service: for demonstrations and tests. */
export interface SandboxProvider extends BillingProvider<'sandbox'> {
  /** A session that has not ended; undefined for any other. */
  find(sessionId: string): Promise<SandboxSession | undefined>;
  /** Confirms a session, and answers the signed event that says so: the same one however often. */
  confirm(sessionId: string): Promise<{ body: Buffer; signature: string } | undefined>;
}

const SESSION_LIFE_MS = 24 * 3_600_000;

const SandboxEvent = z.object({
  event_id: z.string(),
  occurred_at: z.string().transform(fromTimestamp),
  organization_id: OrganizationId,
  subscription_id: z.string(),
  price_id: z.string(),
  status: SubscriptionStatus,
});

/** Prices are named for their tiers, such as `price_company_standard`. */
const PRICES: ReadonlyMap<string, MembershipTier> = new Map(MEMBERSHIP_TIERS.map((tier) => [`price_${tier}`, tier]));

export function sandboxProvider({ store, clock, baseUrl, secret }: SandboxDeps): SandboxProvider {
  const sessions = store.collection(sandboxSessions);
  const eventSecret = sandboxEventSecret(secret);
  const isOpen = (row: SandboxSession) => toTimestamp(clock.now()) < row.expires_at;

  return {
    name: 'sandbox',
    prices: PRICES,

    async createSession({ organization_id, price_id }) {
      const session_id = `cs_sandbox_${randomBytes(32).toString('base64url')}`;
      const expires_at = toTimestamp(clock.now() + SESSION_LIFE_MS);
      const session_hash = hashOf(session_id);
      await sessions.insert({ session_hash, organization_id, price_id, confirmed_at: null, expires_at, revision: 1 });
      return { session_id, url: `${baseUrl()}/api/billing/sandbox/${session_id}`, expires_at };
    },

    async find(sessionId) {
      const row = await sessions.get(hashOf(sessionId));
      return row && isOpen(row) ? row : undefined;
    },

    async confirm(sessionId) {
      const confirmed_at = toTimestamp(clock.now());
      const result = await sessions.update(hashOf(sessionId), (row) =>
        row.confirmed_at === null && isOpen(row) ? { ...row, confirmed_at } : undefined,
      );
      if (result === undefined || result.row.confirmed_at === null) return undefined;
      const { session_hash, organization_id, price_id } = result.row;
      const event: z.input<typeof SandboxEvent> = {
        event_id: `evt_sandbox_${session_hash.slice(0, 32)}`,
        occurred_at: result.row.confirmed_at,
        subscription_id: `sub_sandbox_${session_hash.slice(0, 32)}`,
        ...{ organization_id, price_id, status: 'active' },
      };
      const body = Buffer.from(JSON.stringify(event));
      return { body, signature: signEvent(body, eventSecret, clock.now()) };
    },

    readEvent(body, header) {
      verifyEvent(body, header(SANDBOX_SIGNATURE_HEADER), eventSecret, clock.now());
      return SandboxEvent.parse(parseJson(body).value);
    },
  };
}

/** What the sandbox signs its events with, of the installation's secret. */
export function sandboxEventSecret(secret: string): string {
  return createHmac('sha256', secret).update('sandbox billing events').digest('base64url');
}

function hashOf(sessionId: string): string {
  return createHash('sha256').update(sessionId).digest('hex');
}
