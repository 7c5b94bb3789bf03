import type { Request, RequestHandler, Response } from 'express';
import type { Budgets } from '../../../platform/budget/budgets.ts';
import { AppError } from '../../../platform/errors.ts';
import type { Logger } from '../../../platform/log.ts';
import type { Metrics } from '../../../platform/metrics/metrics.ts';
import type { ChangeSignal } from '../../../platform/redis/change-signal.ts';
import type { HeldPlace } from '../../../platform/redis/places-redis.ts';
import { operatorOf } from '../../operator-of.ts';
import { operatorOfSession, sessionFrom } from '../../session.ts';
import { createLiveHub } from './live-hub.ts';
import { LIVE_TOPICS } from '../../live-topics.ts';
import type { LiveTopic } from '../../live-topics.ts';

type SessionDeps = Parameters<typeof operatorOfSession>[0];

/** What the console's streams work with. */
export interface LiveDeps extends SessionDeps {
  log: Logger;
  changeSignal: ChangeSignal;
  /** The origin that the console is reached at. */
  baseUrl: string;
  budgets: Pick<Budgets, 'hold'>;
  metrics: Pick<Metrics, 'gauge'>;
  /** Ends every stream when it aborts; browsers come back, to another server. */
  stopping?: AbortSignal;
}

/** After so long a stream shows that it is alive, and whether its session still is, in milliseconds. */
const HEARTBEAT_MS = 15_000;

/** Whoever finds no place comes back after so long, in seconds; pages are refreshed meanwhile, too. */
const RETRY_AFTER_SECONDS = 30;

/** Whoever reads so slowly that more bytes wait is let go, and comes back. */
const MOST_WAITING_BYTES = 16_384;

/**
 * `GET /admin/live?topics=buys,approvals`: server-sent events that say what has changed, by topic and id, and nothing of it. A stream
 * ends with its session, within a heartbeat. 503 with `Retry-After` when a person or this process has too many.
 */
export function liveRoute(deps: LiveDeps, heartbeatMs = HEARTBEAT_MS): RequestHandler {
  const hub = createLiveHub(deps.changeSignal);
  let open = 0;
  deps.metrics.gauge('console_streams', () => [{ labels: {}, value: open }]);

  return async (request, response) => {
    const topics = topicsOf(request.query['topics']);
    const places = await placesFor(deps, request);
    if (places === undefined) {
      response.status(503).set('Retry-After', String(RETRY_AFTER_SECONDS));
      response.json({ error: 'too many pages of the console are open; this one is refreshed every 30 seconds' });
      return;
    }
    if (response.closed) {
      for (const place of places) place.letGo();
      return;
    }
    open += 1;
    response.writeHead(200, {
      'Content-Type': 'text/event-stream',
      'X-Accel-Buffering': 'no',
    });
    const stopListening = hub.listen(topics, (topic, id) => {
      send(response, `event: ring\ndata: ${JSON.stringify({ topic, id })}\n\n`);
    });
    const heart = setInterval(() => void beat(deps, request, response), heartbeatMs);
    const end = () => response.end();
    deps.stopping?.addEventListener('abort', end);
    response.once('close', () => {
      deps.stopping?.removeEventListener('abort', end);
      clearInterval(heart);
      stopListening();
      for (const place of places) place.letGo();
      open -= 1;
    });
    send(response, 'retry: 5000\n\n');
    if (deps.stopping?.aborted === true) end();
  };
}

/** @throws {AppError} for none, or one that there is not. */
function topicsOf(given: unknown): LiveTopic[] {
  const known = Object.keys(LIVE_TOPICS);
  const asked = typeof given === 'string' ? given.split(',', known.length + 1) : [];
  const topics = asked.filter((topic): topic is LiveTopic => known.includes(topic));
  if (topics.length > 0 && topics.length === asked.length) return topics;
  throw new AppError('VALIDATION_ERROR', `topics: send some of ${known.join(', ')}, with commas between`, {
    field: 'topics',
  });
}

/** Undefined when there is none for this person, or in this process. */
async function placesFor({ budgets }: LiveDeps, request: Request): Promise<HeldPlace[] | undefined> {
  const { person_id, credential } = operatorOf(request);
  const who = person_id ?? ('id' in credential ? credential.id : credential.kind);
  const places: HeldPlace[] = [];
  try {
    places.push(await budgets.hold('console_streams', who));
    places.push(await budgets.hold('all_console_streams', ''));
    return places;
  } catch (error) {
    for (const place of places) place.letGo();
    if (error instanceof AppError && error.code === 'RATE_LIMITED') return undefined;
    throw error;
  }
}

/** To keep a stream is no use of the session: one that nobody touches ends all the same. */
async function beat(deps: LiveDeps, request: Request, response: Response): Promise<void> {
  try {
    const operator = await operatorOfSession(
      deps,
      sessionFrom(request.get('cookie'), deps.baseUrl.startsWith('https:')),
      { isUse: false },
    );
    if (operator === undefined) response.end();
    else send(response, ': still here\n\n');
  } catch (error) {
    // Whether the session still is cannot be known: the browser asks anew.
    deps.log.debug({ err: error }, 'a stream of the console was ended');
    response.end();
  }
}

function send(response: Response, text: string): void {
  if (response.writableEnded || response.destroyed) return;
  if (response.writableLength > MOST_WAITING_BYTES) response.destroy();
  else response.write(text);
}
