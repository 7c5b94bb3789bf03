import { inboxLimits } from './inbox.ts';
import type { Inbox, InboxOptions } from './inbox.ts';

interface Sender {
  /** Handled events and when to forget them, oldest first. */
  handled: Map<string, number>;
  /** Events and subjects being handled. */
  claims: Map<string, { owner: string; until: number }>;
  /** The instant of the newest state of each subject, and when to forget it, longest untouched first. */
  newest: Map<string, { at: number; until: number }>;
}

/** Remembers events in this process: for one process that receives everything and may forget it when it restarts. */
export function memoryInbox(options: InboxOptions = {}): Inbox {
  const { retentionMs, leaseMs, eventsPerSender } = inboxLimits(options);
  const senders = new Map<string, Sender>();

  function senderOf(name: string): Sender {
    const known = senders.get(name) ?? { handled: new Map(), claims: new Map(), newest: new Map() };
    senders.set(name, known);
    return known;
  }

  return {
    claim({ sender, idempotencyKey, order }, owner, now) {
      const { handled, claims, newest } = senderOf(sender);
      forget(handled, (until) => until <= now);
      forget(newest, ({ until }) => until <= now);
      forget(claims, ({ until }) => until <= now);
      if (handled.has(idempotencyKey)) return Promise.resolve('duplicate');
      const wanted = claimNames(idempotencyKey, order?.subject);
      if (wanted.some((name) => (claims.get(name)?.until ?? 0) > now)) return Promise.resolve('busy');
      if (order !== undefined && order.at < (newest.get(order.subject)?.at ?? -Infinity))
        return Promise.resolve('stale');
      if (handled.size + claims.size >= eventsPerSender) return Promise.resolve('full');
      for (const name of wanted) claims.set(name, { owner, until: now + leaseMs });
      return Promise.resolve('claimed');
    },

    finish({ sender, idempotencyKey, order }, owner, now) {
      const { handled, claims, newest } = senderOf(sender);
      const until = now + retentionMs;
      handled.delete(idempotencyKey);
      handled.set(idempotencyKey, until);
      if (order !== undefined) {
        const at = Math.max(order.at, newest.get(order.subject)?.at ?? -Infinity);
        newest.delete(order.subject);
        newest.set(order.subject, { at, until });
      }
      drop(claims, claimNames(idempotencyKey, order?.subject), owner);
      return Promise.resolve();
    },

    release({ sender, idempotencyKey, order }, owner) {
      drop(senderOf(sender).claims, claimNames(idempotencyKey, order?.subject), owner);
      return Promise.resolve();
    },
  };
}

function claimNames(idempotencyKey: string, subject: string | undefined): string[] {
  return [`event ${idempotencyKey}`, ...(subject === undefined ? [] : [`subject ${subject}`])];
}

function drop(claims: Sender['claims'], names: readonly string[], owner: string): void {
  for (const name of names) if (claims.get(name)?.owner === owner) claims.delete(name);
}

/** Removes what has expired from the front, where the oldest entries are. */
function forget<T>(entries: Map<string, T>, isExpired: (value: T) => boolean): void {
  for (const [key, value] of entries) {
    if (!isExpired(value)) break;
    entries.delete(key);
  }
}
