import { z } from 'zod';
import type { CollectionSpec } from '../../platform/store/collection.ts';
import { BadgeProof, BadgeRole, StoredStep } from '../badge/badge.ts';

/** What a check found of one role. */
export const CheckedRole = z.object({
  role: BadgeRole,
  /** Null: not even declared. */
  step: StoredStep.nullable(),
  proof: BadgeProof.nullable(),
  /** Why no more than that, in our words. */
  reason: z.string().nullable(),
});

/** One check of an agent, as it went: its history (rule R11.history). */
export const AgentCheck = z.object({
  agent_check_id: z.string(),
  /** Canonical (see `canonicalAgentUrl`). */
  agent_url: z.string(),
  /** When it began. */
  checked_at: z.string(),
  /** The whole of it, which is several requests, in milliseconds. */
  took_ms: z.int().min(0),
  /** Whether the agent was found, and could be judged. */
  is_reachable: z.boolean(),
  /** Why it could not, in our words. */
  reason: z.string().nullable(),
  /** The protocol's release that it names, if that is known. */
  version: z.string().nullable(),
  roles: z.array(CheckedRole),
  /** Its owner asked for it; absent: it is a daily one, or of before that was told apart. */
  is_asked: z.literal(true).optional(),
  expires_at: z.string(),
  revision: z.number().int(),
});
export type AgentCheck = z.infer<typeof AgentCheck>;

export const agentChecks: CollectionSpec<AgentCheck> = {
  name: 'agent_checks',
  key: 'agent_check_id',
  schema: AgentCheck,
  indexes: [
    { name: 'agent', fields: ['agent_url', 'checked_at'] },
    { name: 'asked', fields: ['agent_url', 'is_asked', 'checked_at'] },
  ],
  expires: 'expires_at',
};

/**
 * So many checks of an agent are kept, the newest; those that its owner asked for are counted apart, so that nobody asks its history
 * away.
 */
export const MOST_CHECKS_KEPT = { daily: 100, asked: 10 } as const;

/** Of both together. */
export const ALL_CHECKS_KEPT = MOST_CHECKS_KEPT.daily + MOST_CHECKS_KEPT.asked;

/** And none for longer than this, in milliseconds. */
export const CHECKS_KEPT_MS = 90 * 24 * 3_600_000;
