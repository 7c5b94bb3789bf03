import { z } from 'zod';
import type { OAuthContext } from '../context.ts';

/** A ticket names the decision it is for, so that sending its form twice decides once. */
const Ticket = z.object({ query: z.string(), issued_at: z.number(), decision_id: z.string().default('') });

const LIFE_MS = 15 * 60_000;

/** What a form carries: the authorization request it belongs to, sealed for one browser and one step. */
export interface FormTickets {
  /** `query`: of the authorization request, as it came. */
  issue(step: Step, cookie: string, query: string): string;
  /** What it was issued with; undefined for a ticket of another browser, another step, or older than 15 minutes. So no other site can send the form. */
  redeem(step: Step, cookie: string | undefined, ticket: unknown): Redeemed | undefined;
}

type Step = 'login' | 'consent';

export interface Redeemed {
  query: URLSearchParams;
  decision_id: string;
}

export function formTickets({ sealer, clock, ids }: Pick<OAuthContext, 'sealer' | 'clock' | 'ids'>): FormTickets {
  const boundTo = (step: Step, cookie: string) => `oauth ${step} form of ${cookie}`;
  return {
    issue: (step, cookie, query) =>
      sealer.seal(JSON.stringify({ query, issued_at: clock.now(), decision_id: ids.newId() }), boundTo(step, cookie)),
    redeem(step, cookie, ticket) {
      if (cookie === undefined || typeof ticket !== 'string') return undefined;
      try {
        const { query, issued_at, decision_id } = Ticket.parse(JSON.parse(sealer.open(ticket, boundTo(step, cookie))));
        if (clock.now() >= issued_at + LIFE_MS) return undefined;
        return { query: new URLSearchParams(query), decision_id };
      } catch {
        return undefined;
      }
    },
  };
}
