import { z } from 'zod';
import type { OAuthContext } from '../context.ts';

const Ticket = z.object({ query: z.string(), issued_at: z.number() });

const LIFE_MS = 15 * 60_000;

/** What a form carries: the authorization request it belongs to, sealed for one browser and one step. */
export interface FormTickets {
  /** `query`: of the authorization request, as it came. */
  issue(step: Step, cookie: string, query: string): string;
  /** The query; undefined for a ticket of another browser, another step, or older than 15 minutes. So no other site can send the form. */
  redeem(step: Step, cookie: string | undefined, ticket: unknown): URLSearchParams | undefined;
}

type Step = 'login' | 'consent';

export function formTickets({ sealer, clock }: Pick<OAuthContext, 'sealer' | 'clock'>): FormTickets {
  const boundTo = (step: Step, cookie: string) => `oauth ${step} form of ${cookie}`;
  return {
    issue: (step, cookie, query) =>
      sealer.seal(JSON.stringify({ query, issued_at: clock.now() }), boundTo(step, cookie)),
    redeem(step, cookie, ticket) {
      if (cookie === undefined || typeof ticket !== 'string') return undefined;
      try {
        const { query, issued_at } = Ticket.parse(JSON.parse(sealer.open(ticket, boundTo(step, cookie))));
        return clock.now() < issued_at + LIFE_MS ? new URLSearchParams(query) : undefined;
      } catch {
        return undefined;
      }
    },
  };
}
