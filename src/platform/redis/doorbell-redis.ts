import type { Logger } from '../log.ts';
import type { Doorbell } from '../queue/queue.ts';
import { closeRedis, createOutageLog, openRedis, withinDeadline } from './redis-connection.ts';
import type { RedisAddress } from './redis-connection.ts';

export interface DoorbellOptions {
  connection: RedisAddress;
  /** Begins every channel. */
  prefix: string;
  logger: Logger;
}

/**
 * The {@link Doorbell} port over Redis publish/subscribe: one connection rings, one listens for all topics. After an
 * outage everybody listening hears an empty note, since rings may have been missed.
 */
export function createDoorbell({ connection, prefix, logger }: DoorbellOptions): Doorbell {
  const outages = createOutageLog(logger, 'doorbell');
  const ringer = openRedis(connection, outages);
  const ear = openRedis(connection, outages, { autoResubscribe: false });
  const listeners = new Map<string, Set<(note: string) => void>>();
  const channelOf = (topic: string): string => `${prefix}:bell:${topic}`;

  const tell = (heard: (note: string) => void, note: string): void => {
    try {
      heard(note);
    } catch (error) {
      logger.error({ err: error }, 'a listener of the doorbell failed');
    }
  };

  ear.on('message', (channel: string, note: string) => {
    for (const heard of [...(listeners.get(channel) ?? [])]) tell(heard, note);
  });
  ear.on('ready', () => {
    if (listeners.size === 0) return;
    ear.subscribe(...listeners.keys()).then(
      () => {
        for (const heard of [...listeners.values()].flatMap((all) => [...all])) tell(heard, '');
      },
      () => undefined,
    );
  });

  return {
    async ring(topic, note) {
      // A lost ring is no fault: listeners look again by themselves when the connection is back.
      await withinDeadline(ringer.publish(channelOf(topic), note), 'publish', RING_WITHIN_MS).catch(
        (error: unknown) => {
          logger.debug({ topic, err: error }, 'ring lost');
        },
      );
    },
    async listen(topic, heard) {
      const channel = channelOf(topic);
      const known = listeners.get(channel) ?? new Set();
      const own = (note: string): void => {
        heard(note);
      };
      known.add(own);
      listeners.set(channel, known);
      await withinDeadline(ear.subscribe(channel), 'subscribe', LISTEN_WITHIN_MS).catch(() => undefined);
      return () => {
        known.delete(own);
        if (known.size > 0 || listeners.get(channel) !== known) return;
        listeners.delete(channel);
        ear.unsubscribe(channel).catch(() => undefined);
      };
    },
    async close() {
      listeners.clear();
      await Promise.all([closeRedis(ringer, outages), closeRedis(ear, outages)]);
    },
  };
}

/** A ring that Redis has not taken after this many milliseconds is given up. */
const RING_WITHIN_MS = 1000;

/** A listener waits this many milliseconds for Redis; with Redis away longer it hears an empty note when that is back. */
const LISTEN_WITHIN_MS = 1000;
