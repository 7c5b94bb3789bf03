import { readFileSync } from 'node:fs';
import type { StoreKind } from '../../journeys/support/test-agent.ts';

/** A webhook that the release had made, with the SHA-256 of its frozen bytes. */
export interface PromisedDelivery {
  delivery_id: string;
  idempotency_key: string;
  url: string;
  mode: 'rfc9421' | 'hmac-sha256' | 'bearer';
  state: 'pending' | 'delivered' | 'rejected' | 'gone' | 'exhausted';
  event: string;
  task_id: string;
  attempts: number;
  body_sha256: string;
}

/** What a release had promised when it was killed, as its fixture's generator wrote it down. */
export interface Promises {
  store: StoreKind;
  killed_at: string;
  /** What it was started with, and every later start needs. */
  env: Record<string, string>;
  secrets: Record<'hmac' | 'bearer' | 'token', string>;
  api_key: string;
  operator_key: string;
  accounts: {
    organization_id: string;
    client_id: string;
    ada: { refresh_token: string };
    company_key: { key: string };
    checkout_url: string;
    report_id: string;
  };
  idempotent: { input: Record<string, unknown>; task_id: string };
  approvals: Record<'pending' | 'asked' | 'unheard', { task_id: string; approval_id: string }> & { update: string };
  console_cookie: string;
  sign_in_url: string;
  outage: string;
  jwks: { keys: { kid: string; alg: string }[] };
  keys: { kid: string; part: string }[];
  completed: { media_buy_id: string; delivery: Record<string, unknown> };
  collections: Record<string, number>;
  deliveries: PromisedDelivery[];
  unsent: { idempotency_key: string; url: string }[];
  media_buys: { media_buy_id: string; buyer_ref: string; status: string; pending_reason: string | null }[];
  tasks: {
    task_id: string;
    task_type: string;
    state: string;
    buyer_ref: string | null;
    is_turn_owed: boolean;
    is_untold: boolean;
  }[];
  creatives: { creative_id: string; status: string; organization_id: string }[];
  approval_rows: { approval_id: string; status: string }[];
  impairments: { impairment_id: string; is_untold: boolean }[];
}

export const FIXTURES = new URL('../../fixtures/', import.meta.url);

export function readPromises(release: string, store: StoreKind): Promises {
  return JSON.parse(readFileSync(new URL(`release-${release}/${store}.json`, FIXTURES), 'utf8')) as Promises;
}
