/** Redis publish/subscribe as a signal: says that something changed, never what. May lose signals. */
export interface ChangeSignal {
  /** Never rejects; with Redis away the signal is lost after 1 s. */
  publish(topic: string, note: string): Promise<void>;
  /**
   * Calls `heard` for each signal of the topic until the answered function is called, and with an empty note when signals
   * may have been missed (Redis was away): look at the store then. Resolves once subscribed, or after 1 s with Redis
   * away; the empty note follows when it is back.
   */
  subscribe(topic: string, heard: (note: string) => void): Promise<() => void>;
  close(): Promise<void>;
}
