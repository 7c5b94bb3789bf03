import type { Logger } from '../log.ts';
import type { ChangeSignal } from './change-signal.ts';
import { closeRedis, createOutageLog, openRedis, openSubscriber, withinDeadline } from './redis-connection.ts';
import type { RedisAddress } from './redis-connection.ts';

export interface ChangeSignalOptions {
  connection: RedisAddress;
  /** Begins every channel. */
  prefix: string;
  logger: Logger;
}

/**
 * The {@link ChangeSignal} port over Redis publish/subscribe: one connection publishes, one is subscribed to all
 * topics. After an outage every subscriber hears an empty note, since signals may have been missed.
 */
export function createChangeSignal({ connection, prefix, logger }: ChangeSignalOptions): ChangeSignal {
  const outages = createOutageLog(logger, 'change signal');
  const publisher = openRedis(connection, outages);
  const subscriber = openSubscriber(connection, publisher, outages);
  const listeners = new Map<string, Set<(note: string) => void>>();
  const channelOf = (topic: string): string => `${prefix}:bell:${topic}`;

  const tell = (heard: (note: string) => void, note: string): void => {
    try {
      heard(note);
    } catch (error) {
      logger.error({ err: error }, 'a subscriber of the change signal failed');
    }
  };

  subscriber.on('message', (channel: string, note: string) => {
    for (const heard of [...(listeners.get(channel) ?? [])]) tell(heard, note);
  });
  subscriber.on('ready', () => {
    if (listeners.size === 0) return;
    subscriber.subscribe(...listeners.keys()).then(
      () => {
        for (const heard of [...listeners.values()].flatMap((all) => [...all])) tell(heard, '');
      },
      () => undefined,
    );
  });

  return {
    async publish(topic, note) {
      // A lost signal is no fault: subscribers look again by themselves when the connection is back.
      await withinDeadline(publisher.publish(channelOf(topic), note), 'publish', PUBLISH_WITHIN_MS).catch(
        (error: unknown) => {
          logger.debug({ topic, err: error }, 'change signal lost');
        },
      );
    },
    async subscribe(topic, heard) {
      const channel = channelOf(topic);
      const known = listeners.get(channel) ?? new Set();
      const own = (note: string): void => {
        heard(note);
      };
      known.add(own);
      listeners.set(channel, known);
      await withinDeadline(subscriber.subscribe(channel), 'subscribe', SUBSCRIBE_WITHIN_MS).catch(() => undefined);
      return () => {
        known.delete(own);
        if (known.size > 0 || listeners.get(channel) !== known) return;
        listeners.delete(channel);
        subscriber.unsubscribe(channel).catch(() => undefined);
      };
    },
    async close() {
      listeners.clear();
      await Promise.all([closeRedis(publisher, outages), closeRedis(subscriber, outages)]);
    },
  };
}

/** A signal that Redis has not taken after this many milliseconds is given up. */
const PUBLISH_WITHIN_MS = 1000;

/** A subscriber waits this many milliseconds for Redis; with Redis away longer it hears an empty note when that is back. */
const SUBSCRIBE_WITHIN_MS = 1000;
