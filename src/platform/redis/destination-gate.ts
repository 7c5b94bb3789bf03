/**
 * Who may be sent to right now, known to all processes: per destination a cap on requests in flight, a rate, a pause the
 * other side asked for, and a circuit breaker. Waiting at the gate costs a caller nothing but time.
 */

export interface GateSettings {
  /** In flight at once to a destination that answers well. Default 64. */
  maxInFlight: number;
  /** In flight at once to a destination that has not answered yet. Default 4. */
  maxInFlightUnproven: number;
  /** In flight at once to a destination that has just failed or keeps a request waiting. Default 2. */
  maxInFlightSuspect: number;
  /** From when on a request in flight makes its destination suspect, in milliseconds. Default 1,000. */
  slowAfterMs: number;
  /** Requests per second, unless `enter` says otherwise. Default 1,000. */
  ratePerSecond: number;
  /** How many milliseconds' worth of requests may come at once; 0: evenly spaced, and all that wait try for the next one. Default 1,000. */
  burstMs: number;
  /** Failures in a row that open the breaker. Default 5. */
  failuresToOpen: number;
  /** How long the breaker stays open the first time, in milliseconds; doubles with each failed probe. Default 5,000. */
  openMs: number;
  /** At most so long. Default 60,000. */
  maxOpenMs: number;
  /** Requests never last longer than this, in milliseconds: what is in flight longer is forgotten. Default 30,000. */
  forgetAfterMs: number;
}

export const DEFAULT_GATE_SETTINGS: GateSettings = {
  maxInFlight: 64,
  maxInFlightUnproven: 4,
  maxInFlightSuspect: 2,
  slowAfterMs: 1000,
  ratePerSecond: 1000,
  burstMs: 1000,
  failuresToOpen: 5,
  openMs: 5000,
  maxOpenMs: 60_000,
  forgetAfterMs: 30_000,
};

/**
 * `busy`: enough is in flight, or the rate is used up; room comes by itself. `closed`: the breaker is open or the other
 * side asked for a pause.
 */
export type GateVerdict =
  /**
   * `isProven`: it has answered well lately, so this request will most likely not be held up. `isCounted`: false when what
   * is shared is out of reach, and nobody else knows of this request.
   */
  | { allowed: true; permit: string; isProven: boolean; isCounted: boolean }
  | { allowed: false; reason: 'busy' | 'closed'; waitMs: number };

/**
 * `accepted`: it took the request. `ok`: it answered, whatever it said. `failed`: it did not, or said that it cannot.
 * `unknown`: we stopped waiting for reasons of our own. `unsent`: no request was made, and none is counted.
 */
export type GateOutcome = 'accepted' | 'ok' | 'failed' | 'unknown' | 'unsent';

/** What the gate knows of a destination. */
export interface GateState {
  in_flight: number;
  consecutive_failures: number;
  /** Until when nothing is sent, in milliseconds since the epoch; undefined when it is open to all. */
  closed_until: number | undefined;
}

export interface DestinationGate {
  /** Asks to send one request now. Of those refused, each is given a time of its own to come back. */
  enter(destination: string, nowMs: number, options?: { ratePerSecond?: number }): Promise<GateVerdict>;
  /**
   * The request is over. `pauseMs`: for so long nobody shall send there.
   * Never rejects: a permit that is not given back is forgotten in time.
   */
  leave(destination: string, permit: string, end: GateEnd): Promise<void>;
  stateOf(destination: string, nowMs: number): Promise<GateState>;
  /** Forgets failures and pauses: the next request goes at once. */
  reset(destination: string): Promise<void>;
  close(): Promise<void>;
}

export interface GateEnd {
  outcome: GateOutcome;
  nowMs: number;
  tookMs: number;
  pauseMs?: number | undefined;
}
