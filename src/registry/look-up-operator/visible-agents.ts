import type { AgentVisibility } from '../../directory/agent/agent.ts';

export const OPERATOR_SCOPES = ['public', 'member', 'private', 'all'] as const;
export type OperatorScope = (typeof OPERATOR_SCOPES)[number];

/** What of a caller decides which agents it sees. */
export interface Viewer {
  /** A tier with API access. */
  hasApiAccess: boolean;
  /** The caller's organization owns the queried domain. */
  isOwner: boolean;
}

/** What each scope may show at most. */
const SCOPE_SHOWS: Record<OperatorScope, readonly AgentVisibility[]> = {
  public: ['public'],
  member: ['public', 'members_only'],
  private: ['private'],
  all: ['public', 'members_only', 'private'],
};

/**
 * The visibilities shown: what the caller has unlocked, narrowed by the scope, never widened (rules
 * C.endpoints.operator, R5).
 */
export function visibilitiesFor({ hasApiAccess, isOwner }: Viewer, scope: OperatorScope): AgentVisibility[] {
  return SCOPE_SHOWS[scope].filter(
    (visibility) => visibility === 'public' || (visibility === 'members_only' ? hasApiAccess : isOwner),
  );
}
