import type { Operator, OperatorRole } from '../../directory/operator/operator.ts';
import type { Json, Operation } from '../operator/operation.ts';
import type { LiveTopic } from '../live-topics.ts';
import type { Markup } from './html/markup.ts';

/** What a page is made with. It reads by operations alone, so that it shows nobody more than their role may see. */
export interface PageCall {
  operator: Operator;
  /** Of the page's path, decoded. */
  params: Readonly<Record<string, string>>;
  /** Of its address; what stands there twice, or empty, is left out. */
  query: Readonly<Record<string, string>>;
  /** All that its address says by this name; {@link query} has none of what stands there twice. */
  several: (name: string) => readonly string[];
  /** The page's own path and query: where a form comes back to. */
  here: string;
  now: number;
  /** Of so many minutes a sign-in has to be for what asks for a fresh one; absent while this session's is (rule O1.fresh). */
  signInOlderThan?: number;
  /** Reads by an operation. @throws {AppError} as it does. */
  read: <P, Q, B, A extends Json>(
    operation: Operation<P, Q, B, A>,
    input?: { params?: Record<string, string>; query?: Record<string, string | undefined> },
  ) => Promise<A>;
  /** Where this version of a creative can be looked at for some minutes, within this session, in a frame. */
  previewOf: (creative: { organization_id: string; creative_id: string; version: number }) => string;
  /**
   * What a form needs besides its fields, to be taken once and from here alone. `phrase`: what has to be typed into its field `_typed`;
   * `needs`: the field of which something has to be chosen.
   */
  formFields: (path: string, asks?: { phrase?: string | undefined; needs?: string | undefined }) => Markup;
}

/** A page of the console. */
export interface ConsolePage {
  /** Below `/admin`, with parameters as `:name`. */
  path: string;
  /** Where it stands in the menu; absent: a page below one that does. */
  menu?: string;
  /** Who may see it; default: whoever is signed in. */
  role?: OperatorRole;
  /** Of what the page tells, and so when it is refreshed; else twice a minute, and when a queue is paused. */
  topics?: readonly LiveTopic[];
  /** Of a page that is a list: the operation that reads it, and the name that its rows have in the answer; it is had as data, too. */
  list?: {
    of: Operation;
    rows: string;
    /** What the page's query is to the operation; default: the same. */
    query?: (query: PageCall['query']) => Record<string, string | undefined>;
  };
  /** `to`: where it leads at once, below `/admin`. `hasFrame`: it holds a frame, whose document is of this origin. */
  show(call: PageCall): Promise<{ title: string; body: Markup; to?: string; hasFrame?: boolean }>;
}
