import type { Store } from '../../src/platform/store/collection.ts';
import type { Outbound } from '../../src/platform/outbound/outbound-client.ts';
import { withStoreHooks } from './store-hooks.ts';
import type { StoreWrite } from './store-hooks.ts';

export type Moment = 'before' | 'during' | 'after';
export const MOMENTS: readonly Moment[] = ['before', 'during', 'after'];

/**
 * The instant at which a process is to die: at its n-th write to the store or its n-th request to somebody else, counted
 * from 1. "During" a write, the store has it in hand and its outcome is unknown to the process; "after", the write is on
 * disk, or the answer has come, and nobody in the process knows of it yet.
 */
export type FaultPoint =
  | { what: 'write'; moment: Moment; n: number; /** Only writes to it count. */ collection?: string }
  | { what: 'send'; moment: 'before' | 'after'; n: number };

/** A process says this, and to which collection it is writing, on a line of its standard output before it dies. */
const DYING = 'dying, in ';
/** Every write that counts is such a line, with its collection. */
const WRITES = 'writes ';

/** How a point is given to another process. */
export function faultText(point: FaultPoint): string {
  const { what, moment, n } = point;
  const to = what === 'write' && point.collection !== undefined ? ` to ${point.collection}` : '';
  return `${moment} ${what} ${n}${to}`;
}

/** Undefined for a process that is to live. @throws when the text names no point. */
export function readFault(text: string | undefined): FaultPoint | undefined {
  if (text === undefined || text === '') return undefined;
  const [, moment, what, n, collection] =
    /^(before|during|after) (write|send) ([1-9]\d*)(?: to (\w+))?$/.exec(text) ?? [];
  const isNone = what === 'send' && (moment === 'during' || collection !== undefined);
  if (moment === undefined || isNone) throw new Error(`no fault point: ${text}`);
  return { what, moment, n: Number(n), ...(collection !== undefined && { collection }) } as FaultPoint;
}

/**
 * Of a process that has ended: whether it died at its own fault point, by what it said, and to which collection it was
 * writing then; '' when it was sending.
 */
export function deathOf(output: { stdout: string }): { collection: string } | undefined {
  const line = output.stdout.split('\n').find((one) => one.startsWith(DYING));
  return line === undefined ? undefined : { collection: line.slice(DYING.length) };
}

/** The collections that a process wrote to, in order, if it was told to say so. */
export function writesOf(output: { stdout: string }): string[] {
  const lines = output.stdout.split('\n');
  return lines.flatMap((line) => (line.startsWith(WRITES) ? [line.slice(WRITES.length)] : []));
}

export interface Mortal {
  wrapStore(store: Store): Store;
  wrapOutbound(outbound: Outbound): Outbound;
}

export interface MortalOptions {
  /** Writes to these collections are not counted, such as those of starting up. */
  uncounted?: readonly string[];
  /** Whether each write that counts is said on standard output. Default false. */
  tellsWrites?: boolean;
}

/** What makes this process kill itself at a point, as `kill -9` would. */
export function mortalAt(point: FaultPoint | undefined, { uncounted = [], tellsWrites }: MortalOptions = {}): Mortal {
  const reached = { before: 0, after: 0 };
  const isHere = (what: FaultPoint['what'], moment: 'before' | 'after') => {
    if (point?.what !== what) return false;
    reached[moment] += 1;
    return reached[moment] === point.n && (point.moment === 'during' ? 'before' : point.moment) === moment;
  };
  const die = (collection = ''): Promise<never> => {
    process.stdout.write(`${DYING}${collection}\n`);
    process.kill(process.pid, 'SIGKILL');
    return new Promise<never>(() => undefined);
  };
  const only = point?.what === 'write' ? point.collection : undefined;
  const counts = ({ collection }: StoreWrite) =>
    !uncounted.includes(collection) && (only === undefined || collection === only);

  return {
    wrapStore: (store) =>
      withStoreHooks(store, {
        before(write) {
          if (!counts(write)) return undefined;
          if (tellsWrites === true) process.stdout.write(`${WRITES}${write.collection}\n`);
          if (!isHere('write', 'before')) return undefined;
          if (point?.moment === 'before') return die(write.collection);
          // The embedded store writes in the next turn of the event loop and syncs from then on; MongoDB has been asked.
          setImmediate(() => setImmediate(() => void die(write.collection)));
          return undefined;
        },
        after: (write) => (counts(write) && isHere('write', 'after') ? die(write.collection) : undefined),
      }),
    wrapOutbound: (outbound) => ({
      ...outbound,
      async send(request) {
        if (isHere('send', 'before')) await die();
        const result = await outbound.send(request);
        if (isHere('send', 'after')) await die();
        return result;
      },
    }),
  };
}
