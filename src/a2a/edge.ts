import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import type { Message } from '@a2a-js/sdk';
import type { Caller } from '../directory/caller.ts';
import type { Dialects } from '../dialects/dialects.ts';
import { BUDGETS } from '../platform/budget/budget-table.ts';
import type { Budgets } from '../platform/budget/budgets.ts';
import type { Clock, Ids } from '../platform/clock.ts';
import type { Logger } from '../platform/log.ts';
import { INPUT_LIMITS } from '../platform/intake/input-limits.ts';
import { noCounters } from '../platform/metrics/metrics.ts';
import type { Counters } from '../platform/metrics/metrics.ts';
import type { ProtocolNames } from '../platform/protocol-name.ts';
import { currentRequest } from '../platform/request-context.ts';
import { noSecurityLog } from '../platform/security/security-log.ts';
import type { SecurityLog } from '../platform/security/security-log.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { buildAgentCard } from './card/agent-card.ts';
import type { CallingFacts, CardSource, OAuthEndpoints } from './card/agent-card.ts';
import type { CardGeneration } from './card/card-documents.ts';
import type { CardRouteOptions } from './card/card-route.ts';
import type { DocumentSigner } from '../platform/crypto/document-signer.ts';
import { extendedCard } from './card/extended-card.ts';
import { noCredentialWatch, watchCredentials } from '../directory/credential/credential-watch.ts';
import type { LookAgain } from '../directory/credential/credential-watch.ts';
import { countedCalls } from './counted-calls.ts';
import type { CardIdentity } from './card/identity.ts';
import type { Invocation } from './invocation.ts';
import { MESSAGE_LIMITS } from './message-check.ts';
import { openCalls } from './open-calls.ts';
import type { OpenCalls } from './open-calls.ts';
import { recordedRefusals } from './recorded-refusals.ts';
import { requestHandler } from './request-handler.ts';
import { WAIT_LIMITS } from './wait-limits.ts';

/** What every transport of the edge needs. */
export interface EdgeOptions {
  runtime: Runtime;
  names: ProtocolNames;
  log: Logger;
  clock: Clock;
  ids: Ids;
  /** `agent-card/identity.json`. */
  identity: CardIdentity;
  /** The agent's own version. */
  version: string;
  /** What buyers call this agent by, without a slash at the end; asked for when the card is first needed. */
  baseUrl: () => string;
  /** `host:port` of the gRPC binding, when it is on. */
  grpcAddress?: () => string | undefined;
  oauth?: () => OAuthEndpoints;
  /** How the skills are called, for the card and the page about them. */
  calling?: CallingFacts | undefined;
  /** The key that signs the card now; its public half is published at its `jku`. */
  cardSigner?: () => Promise<DocumentSigner>;
  /** What a card request without a version header gets. Default `both`. */
  unversionedCard?: CardGeneration;
  /** Counts requests and streams; absent: there is no end of them. */
  budgets?: Budgets | undefined;
  /** The languages of calls besides our own; absent: there are none. */
  dialects?: Dialects;
  /** Reads a message of text alone, such as a brief; undefined: it asks for nothing known. */
  fromText?: (text: string) => Invocation | undefined;
  /** The task that takes every message which names no skill. */
  catchAll?: string;
  /** Answers a message by a message, so that no task begins. */
  converse?: (message: Message) => Message | undefined;
  /** Whether a message to that task which was taken before stands for the run it began, as all others do (rule T6). Default true. */
  catchAllDedupes?: boolean;
  /** Default true. False: the card says that nobody needs to authenticate; `credentials` decide all the same. */
  isAuthenticated?: boolean;
  limits?: Partial<EdgeLimits>;
  /** Counts calls by their outcome; default: nothing does. */
  counters?: Counters;
  /** Where refusals of known callers are put on record; default: nowhere. */
  security?: SecurityLog;
  /** Ends every stream when it aborts, so that a server can stop. */
  stopping?: AbortSignal;
  /** Ends streams whose credential opens nothing any more; absent: they go on. */
  lookAgain?: LookAgain;
}

export interface EdgeLimits {
  /** Largest request body in bytes, after decompression. Default 1 MiB. */
  bodyBytes: number;
  /** Most parts of one message. Default 100. */
  messageParts: number;
  /** How long a send may wait for the task's end, in milliseconds. Default 20,000. */
  waitCapMs: number;
  /** How often a quiet stream says that it is alive, in milliseconds: clients give one up after 5 s. Default 3,000. */
  heartbeatMs: number;
  /** How often the credentials of open streams are looked at again, in milliseconds. Default 2,000. */
  lookAgainMs: number;
}

const LIMITS: EdgeLimits = {
  bodyBytes: INPUT_LIMITS.a2aBodyBytes,
  messageParts: MESSAGE_LIMITS.parts,
  ...WAIT_LIMITS,
  // With the look itself under the 3 s within which every process knows of an end.
  lookAgainMs: 2_000,
};

export interface Edge {
  handler: A2ARequestHandler;
  calls: OpenCalls;
  limits: EdgeLimits;
  publicCard: CardRouteOptions;
  /** URIs of the extensions that the card lists. */
  extensions(): readonly string[];
  /** Counts a request. @throws {AppError} `RATE_LIMITED`. */
  admit(caller: Caller): Promise<void>;
  /** Whether there is anything that is told without a credential. */
  isDiscoverable: boolean;
  /** Counts a request without a credential, by its address. @throws {AppError} `RATE_LIMITED`. */
  admitAnybody(): Promise<void>;
}

/** A2A without a transport: the request handler, and what is counted and limited around it. */
export function createEdge(options: EdgeOptions): Edge {
  const limits = { ...LIMITS, ...options.limits };
  const { runtime, budgets, clock, stopping } = options;
  const source = lazily(() => cardSource(options));
  const card = lazily(() => buildAgentCard(source()));
  const calls = openCalls({ budgets, stopping });
  const { lookAgain, log } = options;
  const watch =
    lookAgain === undefined
      ? noCredentialWatch
      : watchCredentials({ lookAgain, everyMs: limits.lookAgainMs, clock, log });
  const shownLimits = {
    body_bytes: limits.bodyBytes,
    message_parts: limits.messageParts,
    requests_per_second: budgets?.size('requests') ?? BUDGETS.requests.size,
    streams: budgets?.size('a2a_streams') ?? BUDGETS.a2a_streams.size,
  };
  const handler = requestHandler({
    runtime,
    ids: options.ids,
    clock,
    log,
    card: () => Promise.resolve(card()),
    extendedCard: async (call) => extendedCard(source(), shownLimits, call, await options.cardSigner?.()),
    waitCapMs: limits.waitCapMs,
    limits: { ...MESSAGE_LIMITS, parts: limits.messageParts },
    openStream: (call) => calls.openStream(call),
    watch,
    ...(options.dialects && { dialects: options.dialects }),
    ...(options.fromText && { fromText: options.fromText }),
    ...(options.converse && { converse: options.converse }),
    ...(options.catchAll !== undefined && { catchAll: options.catchAll }),
    ...(options.catchAllDedupes !== undefined && { catchAllDedupes: options.catchAllDedupes }),
  });
  const extensions = lazily(() => card().capabilities?.extensions.map(({ uri }) => uri) ?? []);
  return {
    handler: countedCalls(
      recordedRefusals(handler, options.security ?? noSecurityLog),
      options.counters ?? noCounters,
      runtime.tasks,
    ),
    calls,
    limits,
    extensions,
    publicCard: {
      card,
      signer: options.cardSigner,
      startedAtMs: clock.now(),
      unversioned: options.unversionedCard ?? 'both',
    },
    admit: async ({ organization_id }) => {
      await budgets?.draw('requests', organization_id);
    },
    isDiscoverable: (options.dialects?.discovery.size ?? 0) > 0,
    admitAnybody: async () => {
      await budgets?.draw('anonymous_requests', currentRequest()?.address ?? '');
    },
  };
}

function cardSource(options: EdgeOptions): CardSource {
  const { identity, version, names, runtime, isAuthenticated = true } = options;
  return {
    ...{ identity, version, names, isAuthenticated },
    tasks: [...runtime.tasks.values()],
    ...(options.dialects && { publicSkills: options.dialects.skills }),
    baseUrl: options.baseUrl(),
    grpcAddress: options.grpcAddress?.(),
    oauth: options.oauth?.(),
    calling: options.calling,
  };
}

function lazily<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
