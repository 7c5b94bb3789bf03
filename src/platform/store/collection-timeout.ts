/** How long both drivers keep trying to reach a store that does not answer, in milliseconds, unless told otherwise. */
export const DEFAULT_TIMEOUT_MS = 30_000;
