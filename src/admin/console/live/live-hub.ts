import type { ChangeSignal } from '../../../platform/redis/change-signal.ts';
import { sparingRing } from '../../../platform/sparing-ring.ts';
import { RING_EVERY_MS, signalOf } from '../../live-topics.ts';
import type { LiveTopic } from '../../live-topics.ts';

/** Hears of a change: what is changed, and the id; an empty one where several were, or signals may have been lost. */
type Heard = (topic: LiveTopic, id: string) => void;

/** All streams of one process, over one subscription to each topic. */
export interface LiveHub {
  /** Calls `heard` at most once a second for each topic, until the answered function is called. */
  listen(topics: readonly LiveTopic[], heard: Heard): () => void;
}

export function createLiveHub({ subscribe }: Pick<ChangeSignal, 'subscribe'>): LiveHub {
  const rooms = new Map<LiveTopic, { listeners: Set<Heard>; leave: Promise<() => void> }>();

  function enter(topic: LiveTopic, heard: Heard): void {
    const known = rooms.get(topic);
    if (known !== undefined) {
      known.listeners.add(heard);
      return;
    }
    const listeners = new Set([heard]);
    const tell = sparingRing((_topic, id) => {
      for (const one of [...listeners]) one(topic, id);
    }, RING_EVERY_MS);
    const leave = subscribe(signalOf(topic), (id) => {
      tell(topic, id);
    });
    rooms.set(topic, { listeners, leave });
  }

  function exit(topic: LiveTopic, heard: Heard): void {
    const room = rooms.get(topic);
    room?.listeners.delete(heard);
    if (room === undefined || room.listeners.size > 0) return;
    rooms.delete(topic);
    void room.leave.then((leave) => {
      leave();
    });
  }

  return {
    listen(topics, heard) {
      // Of its own, so that one function may listen twice.
      const own: Heard = (topic, id) => {
        heard(topic, id);
      };
      for (const topic of new Set(topics)) enter(topic, own);
      return () => {
        for (const topic of new Set(topics)) exit(topic, own);
      };
    },
  };
}
