import type { z } from 'zod';
import type { BlockList } from '../../directory/blocked-domain/block-list.ts';
import type { GrantDesk } from '../../directory/oauth/grant-facts.ts';
import type { Operator, OperatorRole } from '../../directory/operator/operator.ts';
import type { Budgets } from '../../platform/budget/budgets.ts';
import type { Clock, Ids } from '../../platform/clock.ts';
import type { QueuePauses } from '../../platform/queue/queue-pauses.ts';
import type { ChangeSignal } from '../../platform/redis/change-signal.ts';
import type { Counters } from '../../platform/metrics/metrics.ts';
import type { Store } from '../../platform/store/collection.ts';
import type { Logger } from '../../platform/log.ts';
import type { SecurityKind } from '../../platform/security/security-kinds.ts';
import type { SecurityFacts, SecurityLog } from '../../platform/security/security-log.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import type { ApprovalDesk } from '../../sales/approval/approval-desk.ts';
import type { OrderDesk } from '../../sales/ad-order/order-desk.ts';
import type { Catalog } from '../../sales/catalog.ts';
import type { CreditDependencies } from '../../sales/credit/credit.ts';
import type { DeliveryFacts } from '../../sales/delivery/delivery-facts.ts';
import type { FlightClock } from '../../sales/flight/flight-clock.ts';
import type { ProductRanker } from '../../sales/product/ranker.ts';
import type { OutageDependencies } from '../../sales/property/decide-outage.ts';
import type { Installation } from './doctor/installation.ts';
import type { Resealed } from './secret/resealed.ts';
import type { Webhooks } from '../../webhooks/webhooks.ts';

/** What the operator's operations work with. */
export interface OperatorDeps {
  store: Store;
  clock: Clock;
  ids: Ids;
  log: Logger;
  counters: Counters;
  budgets: Pick<Budgets, 'take'>;
  security: SecurityLog;
  desk: ApprovalDesk;
  sales: OutageDependencies & { facts: DeliveryFacts; flightClock: FlightClock; credit: CreditDependencies };
  orders: OrderDesk;
  catalog: Catalog;
  /** Finds products as buyers are answered. */
  ranker: ProductRanker;
  queues: QueuePauses;
  runtime: Pick<Runtime, 'nudge' | 'cancelForSeller' | 'wake'>;
  resealStore: (wish: { endsFormer: boolean }) => Promise<Resealed>;
  webhooks: Pick<Webhooks, 'operator' | 'buyer' | 'keys' | 'notifier'>;
  grants: GrantDesk;
  blockList: BlockList;
  /** Rung when the registry's feed has something new. */
  changeSignal: ChangeSignal;
  /** Who alone signs people in to the console, where one-time links are switched off: the identity provider's host (rule S5.oidc-only). */
  onlySignInAt?: string | undefined;
  installation: Installation;
  /** Where people look at a trace, with `{trace_id}` in it; absent: nowhere. */
  traceUrl?: string | undefined;
  /** The origin that the console is reached at. */
  baseUrl: string;
  /** How old a sign-in may be where one of late is asked for, in milliseconds; 0: as old as its session. */
  freshSignInMs: number;
  /** What is on record under this name, among the operations there are. */
  operationFor: (action: string) => Operation | undefined;
  /** What shows the thing at this path, written with its parameters as `:name`; undefined where nothing shows one by itself. */
  viewAt: (path: string) => Operation | undefined;
}

/** One call of an operation. */
export interface OperatorCall extends OperatorDeps {
  /** Who acts, by their credential. */
  operator: Operator;
  /** Their name. */
  by: string;
  /** The action's own id: the same when the same click comes again. Of what only reads, an id of no meaning. */
  action_id: string;
  /** Does another of the operations with the same click, which is on record as that. `part`: which of several that this click does. */
  perform<P, Q, B, A extends Json>(
    operation: Operation<P, Q, B, A>,
    asked: { params: Record<string, string>; body?: Json; undo_of?: string; part?: string },
  ): Promise<A>;
}

/** Parsed input. */
export interface OperatorInput<P, Q, B> {
  params: P;
  query: Q;
  body: B;
}

/** What an operation answers: JSON, an object at the top. */
export type Json = Record<string, unknown>;

/**
 * One thing an operator can see or do: all that routing, validation, the log of actions and the command line need, and
 * what it does.
 */
export interface Operation<P = unknown, Q = unknown, B = unknown, A extends Json = Json> {
  method: 'get' | 'post';
  /** Below `/api/operator`, with parameters as `:name`. */
  path: string;
  /** What it does, in a line of plain words; the command line's help has it, too. */
  summary: string;
  /** Who may: what routes hold callers to. */
  role: OperatorRole;
  /** What the log of actions calls it; absent for what only reads. */
  action?: string;
  /** What whoever did it is told then, in whole sentences; every action has it. */
  done?(answer: NoInfer<A>): string;
  /** The action that undoes it: about the same thing, and with nothing to say but its `asUndo`; it may be the same; absent: none does. */
  undo?: string;
  /**
   * Of an action that undoes another: what its body is then, maybe by what that one answered, where undefined says that nothing undoes it;
   * default: nothing.
   */
  asUndo?: Json | ((undone: Json) => Json | undefined);
  /** Nothing of it is on record but what it does by {@link OperatorCall.perform}. */
  isOnRecordAsAnother?: boolean;
  /** What of the body is put on record; default: all of it. The same body gives the same. */
  onRecord?(body: B): Json;
  /** The decision about access that it is (rule S5.record); absent: it is none, or is on record where it is done. */
  decides?: SecurityKind;
  /** Whom and what that decision concerns; default: what the path names. */
  concerns?(answer: NoInfer<A>, input: OperatorInput<P, Q, B>): SecurityFacts;
  /** A session does it only after a sign-in of late (rule O1.fresh): it hands out access, takes it back, or concerns signing keys. */
  asksFreshSignIn?: boolean;
  /** Its answer is a secret that is not kept, so that a repeat is answered anew. */
  hasSecret?: boolean;
  params?: z.ZodType<P>;
  /** Default: takes none. */
  query?: z.ZodType<Q>;
  /** Default: takes none. */
  body?: z.ZodType<B>;
  /**
   * What is answered: sent without what it does not name, and read by the command line. It transforms nothing, so that
   * what was sent fits it again.
   */
  answer: z.ZodType<A>;
  /** Of an action: safe to repeat, also after it was killed anywhere. @throws {AppError} for a refusal. */
  handle(input: OperatorInput<P, Q, B>, call: OperatorCall): Promise<NoInfer<A>>;
}

/** An action without words for when it is done does not compile. */
type Told<A extends Json> =
  { action?: undefined } | Required<Pick<Operation<unknown, unknown, unknown, A>, 'action' | 'done'>>;

/** Ties the types of an operation's schemas to its handler. */
export function operation<A extends Json, P = undefined, Q = undefined, B = undefined>(
  spec: Operation<P, Q, B, A> & Told<A>,
): Operation<P, Q, B, A> {
  return spec;
}

/** The action's id without its prefix, for what is made once by one click. */
export function clickOf({ action_id }: Pick<OperatorCall, 'action_id'>): string {
  return action_id.replace(/^act_/, '');
}
