import { expect } from 'vitest';
import type { Json } from '../../journeys/support/buyer.ts';
import { startTestAgent } from '../../journeys/support/test-agent.ts';
import type { TestAgent, TestAgentOptions } from '../../journeys/support/test-agent.ts';
import type { StoreKind } from '../../support/stores.ts';
import { bodyOf, callPublic, schemaErrors } from './public-call.ts';
import type { Release } from './public-call.ts';

/** Asks a public task in a release, and answers what it was told, which is held against the official schema. */
export type AskPublic = (release: Release, skill: string, parameters: Json) => Promise<Json>;

export interface PublicAgent {
  at: TestAgent;
  ask: AskPublic;
}

/** Tasks whose schemas have no place for an error instead of what they list. */
const LISTS = new Set(['list_creatives', 'list_creative_formats', 'get_products', 'get_media_buy_delivery']);

/** An agent on throw-away storage, and how it is asked in the public protocol; who opens it stops it. */
export async function openPublicAgent(store: StoreKind, options: TestAgentOptions = {}): Promise<PublicAgent> {
  const at = await startTestAgent(store, options);
  return {
    at,
    async ask(release, skill, parameters) {
      const body = bodyOf(await callPublic(at, skill, { adcp_version: release, ...parameters }));
      const isBare = LISTS.has(skill) && 'adcp_error' in body;
      if (!isBare) expect([skill, schemaErrors(skill, release, body)]).toEqual([skill, []]);
      return body;
    },
  };
}
