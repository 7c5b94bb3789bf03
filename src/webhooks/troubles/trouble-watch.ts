import { toTimestamp } from '../../platform/clock.ts';
import type { Clock, Ids } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import { isOfProxyItself } from '../../platform/outbound/failure.ts';
import type { Counters } from '../../platform/metrics/metrics.ts';
import { allRows } from '../../platform/store/all-rows.ts';
import { UnreadableRowError } from '../../platform/store/collection-rows.ts';
import type { Collection } from '../../platform/store/collection.ts';
import type { OutgoingEvent } from '../delivery/create-delivery.ts';
import type { Attempt, Delivery } from '../delivery/delivery.ts';
import { afterNotes, beginning, bothNotes } from './after-notes.ts';
import type { Notes } from './after-notes.ts';
import { OPERATOR, operationalWebhook } from './operational-webhook.ts';
import { troubleId } from './trouble.ts';
import type { Trouble } from './trouble.ts';

export interface TroubleWatchDependencies {
  troubles: Collection<Trouble>;
  clock: Clock;
  ids: Ids;
  log: Logger;
  counters: Counters;
  /** `OPERATOR_WEBHOOK_URL` as it is stored; undefined: the operator reads the log. */
  operatorUrl?: string | undefined;
  /** See `createDeliveries`. */
  send(events: readonly OutgoingEvent[]): Promise<void>;
}

/** Watches how receivers do, and tells the operator when one fails for an hour, answers again, or refuses our signature. */
export interface TroubleWatch {
  /** Notes an attempt that was recorded. What goes well costs a note in memory. Never rejects. */
  note(delivery: Delivery, attempt: Attempt): Promise<void>;
  /**
   * Writes down what was noted, and tells what is owed. Every worker does it every few seconds; each event is told once however
   * many do, and after a kill by another. @throws when the store does not answer; nothing is forgotten then.
   */
  process(): Promise<void>;
  /** How many receivers the operator knows to fail. */
  countFailing(): Promise<number>;
}

/** A success is remembered for so long, in milliseconds: another process may write down an earlier failure late. */
const SUCCESS_KEPT_MS = 30_000;

export function createTroubleWatch(deps: TroubleWatchDependencies): TroubleWatch {
  const { troubles, clock, ids } = deps;
  const noted = new Map<string, Notes>();

  function keep(key: string, notes: Notes): void {
    const other = noted.get(key);
    noted.set(key, other === undefined ? notes : bothNotes(notes, other));
  }

  /** Puts what is noted of one receiver into its row. */
  async function writeDown(key: string): Promise<void> {
    const notes = noted.get(key);
    if (notes === undefined) return;
    noted.delete(key);
    try {
      await write(troubleId(notes.of), notes);
    } catch (error) {
      // Nothing is known of its episode until the row can be read again, and that is no trouble of the others.
      if (error instanceof UnreadableRowError) return;
      keep(key, notes);
      throw error;
    }
    const { of, succeededAt } = notes;
    if (succeededAt !== undefined && succeededAt > toTimestamp(clock.now() - SUCCESS_KEPT_MS))
      keep(key, { of, succeededAt });
  }

  return {
    async note(delivery, attempt) {
      const { organization_id, destination } = delivery;
      // The operator is told nothing of the operator's own receiver: that would have no end.
      if (organization_id === OPERATOR) return;
      const of = { organization_id, destination };
      const key = noteKey(of);
      const { status, started_at, signature_error, error_message, http_status_code } = attempt;
      // Without our proxy nothing gets out, which is no trouble of this receiver's.
      if (http_status_code === undefined && isOfProxyItself(error_message)) return;
      if (status === 'success') keep(key, { of, succeededAt: started_at });
      else keep(key, { of, failures: { firstAt: started_at, last: attempt } });
      if (signature_error === undefined) return;
      // Seldom, and not to be lost with this process.
      await writeDown(key).catch((error: unknown) => {
        deps.log.warn({ err: error, destination }, 'a refused signature is not written down yet; trying again');
      });
    },
    async process() {
      const successes = [...noted.values()].filter(({ failures }) => failures === undefined);
      const ids = successes.map(({ of }) => troubleId(of));
      const found = ids.length === 0 ? [] : await troubles.getMany(ids, { skipUnreadable: true });
      const open = new Set(found.map(noteKey));
      for (const [key, notes] of [...noted]) {
        if (notes.failures !== undefined || open.has(key)) await writeDown(key);
        else if ((notes.succeededAt ?? '') <= toTimestamp(clock.now() - SUCCESS_KEPT_MS)) noted.delete(key);
      }
      for await (const row of allRows(troubles, { where: { is_due: true } })) await tell(deps, row);
    },
    countFailing: () => troubles.count({ state: 'failing' }),
  };

  async function write(id: string, notes: Notes): Promise<void> {
    const telling = { ids, nowMs: clock.now() };
    const found = await troubles.update(id, (row) => afterNotes(row, notes, telling));
    if (found !== undefined && found.row.state !== 'over') return;
    const begun = beginning(notes, telling);
    if (begun === undefined) return;
    // One that is over makes room for the next once it has been told.
    if (found !== undefined) await tell(deps, found.row);
    if (!(await troubles.insert(begun)).inserted) await troubles.update(id, (row) => afterNotes(row, notes, telling));
  }
}

/** Whose notes are together in memory. */
function noteKey({ organization_id, destination }: Notes['of']): string {
  return `${organization_id} ${destination}`;
}

/** Sends what an episode owes, and ends it where it is over. Safe to be done by two: deliveries are made once. */
async function tell(deps: TroubleWatchDependencies, trouble: Trouble): Promise<void> {
  const { troubles, log, counters, operatorUrl } = deps;
  if (operatorUrl !== undefined && trouble.owed.length > 0)
    await deps.send(trouble.owed.map((owed) => operationalWebhook(trouble, owed, operatorUrl)));
  const isOurs =
    trouble.state === 'over'
      ? await troubles.delete(trouble.trouble_id, trouble.revision)
      : (await troubles.replace({ ...trouble, owed: [], is_due: false })) !== undefined;
  // Another process told it, or the row has changed and comes again.
  if (!isOurs) return;
  const { organization_id, destination, failing_since, cause, http_status_code, signature_error } = trouble;
  for (const { event } of trouble.owed) {
    counters.add('operational_events_total', { event });
    const facts = { event, organization_id, destination, failing_since, cause, http_status_code, signature_error };
    if (event === 'destination_recovered') log.info(facts, 'a receiver takes webhooks again');
    else if (event === 'destination_failing') log.error(facts, 'a receiver has taken no webhook for an hour');
    else log.error(facts, 'a receiver refuses our signature');
  }
}
