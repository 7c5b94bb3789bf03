import { AgentAway } from '../operator-cli/agent-away.ts';
import { ConfigError } from '../config/config-error.ts';

/** `fetch` for one agent, and whether it has been away. */
export interface FetchFrom {
  fetch: typeof fetch;
  /** The error of the last request that nothing answered; libraries hide it in one of theirs. */
  away(): AgentAway | undefined;
}

/** The time for an answer, or for the next part of a stream's head, in milliseconds. */
const TIMEOUT_MS = 60_000;

/** @param token goes to the origin of `baseUrl` and to no other: a card may name any address */
export function fetchFrom(baseUrl: string, token?: string): FetchFrom {
  const { origin } = new URL(baseUrl);
  let away: AgentAway | undefined;
  return {
    away: () => away,
    async fetch(input, init) {
      const request = new Request(input, { ...init, redirect: 'error' });
      const isThere = new URL(request.url).origin === origin;
      if (token !== undefined && isThere) request.headers.set('authorization', `Bearer ${token}`);
      if (token !== undefined && !isThere) {
        throw new Error(`the card of ${origin} names ${request.url}, and the key is sent to ${origin} alone`);
      }
      try {
        // A stream lasts as long as its task.
        const isStream = request.headers.get('accept')?.includes('text/event-stream') === true;
        return await fetch(request, isStream ? {} : { signal: AbortSignal.timeout(TIMEOUT_MS) });
      } catch (error) {
        away = new AgentAway(baseUrl, error);
        throw away;
      }
    },
  };
}

/**
 * The URL of an agent, without a slash at its end.
 * @throws {ConfigError} naming the option or argument
 */
export function webUrlOf(option: string, text: string): string {
  if (!/^https?:$/.test(URL.canParse(text) ? new URL(text).protocol : '')) {
    throw new ConfigError([`${option} must be an http or https URL`]);
  }
  return text.replace(/\/+$/, '');
}
