/** How long callers of A2A are kept waiting unless told otherwise; told to them, too. In milliseconds. */
export const WAIT_LIMITS = { waitCapMs: 20_000, heartbeatMs: 3_000 };
