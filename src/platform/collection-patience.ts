/** How long both drivers keep trying to reach a store that does not answer, in milliseconds. */
export const giveUpAfterMs = 30_000;
