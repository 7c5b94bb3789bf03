/** A webhook's content in one shape, whichever envelope it came in. */
export interface WebhookEvent {
  /** `mcp` and `a2a` by rule C.events.5; `other` for events that are no task status. */
  format: 'mcp' | 'a2a' | 'other';
  /** The same on every delivery of one event; for an A2A body without one, the hash of its bytes. */
  idempotency_key: string;
  task_id?: string;
  operation_id?: string;
  task_type?: string;
  domain?: string;
  /** As the protocol spells states, such as `input-required`, in both generations of A2A. */
  status?: string;
  /** Whether this is a task's last status. */
  is_final: boolean;
  /** When the sender made the event: RFC 3339. */
  timestamp?: string;
  message?: string;
  /** The task-specific content (rule C.events.5). */
  result?: unknown;
  /** What the originating request carried as `context`. */
  context?: unknown;
  /** A2A's `contextId`. */
  context_id?: string;
  /** For state-shaped events: the same under another `idempotency_key` is a re-emission (rule C.events.4). */
  notification_id?: string;
}
