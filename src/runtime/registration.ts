import { z } from 'zod';
import { WEBHOOK_MODES } from './webhook-modes.ts';

/** The public dialects that webhooks can be in; none of them means our own words. */
export const DIALECTS = ['adcp/3.0', 'adcp/3.1', 'adcp/3.2'] as const;
export const Dialect = z.enum(DIALECTS);
export type Dialect = z.infer<typeof Dialect>;

/**
 * Where a task's news goes: one webhook registration, as stored with the task run. The channel decides the envelope
 * (rule C.events.1): `mcp` for `push_notification_config` in the task's input, `a2a` for the protocol's own push
 * mechanism, in the wire generation it was registered with (rule W5).
 */
export const Registration = z.strictObject({
  registration_id: z.string(),
  channel: z.enum(['mcp', 'a2a']),
  wire: z.enum(['0.3', '1.0']).optional(),
  /** What stands behind `?` is sealed, but for rows of 0.1.0. */
  url: z.string(),
  operation_id: z.string().optional(),
  /** Sealed; sent back in the envelope (`mcp`) or in `X-A2A-Notification-Token` (`a2a`). */
  sealed_token: z.string().optional(),
  /** `rfc9421` unless an `authentication` block chose otherwise (rule W4). */
  mode: z.enum(WEBHOOK_MODES),
  /** Where the mode's scheme proves with credentials. */
  sealed_credentials: z.string().optional(),
  /** The scheme's own spelling, echoed when an A2A configuration is read back. */
  scheme: z.string().optional(),
  /** What its webhooks are written and signed in: that of the request that registered it. Absent: our own words. */
  dialect: Dialect.optional(),
  created_at: z.string(),
  /** Set when the receiver answered 410 or the registration was deleted: nothing more goes there. */
  ended_at: z.string().optional(),
});
export type Registration = z.infer<typeof Registration>;
