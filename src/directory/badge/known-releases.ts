/** Releases of the protocol that an agent can be verified at, as MAJOR.MINOR; a new one is added when it is published (rule R11.verified). */
export const KNOWN_RELEASES: readonly string[] = ['2.5', '3.0', '3.1', '3.2'];
