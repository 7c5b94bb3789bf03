import { DEFAULT_GATE_SETTINGS } from './destination-gate.ts';
import type { GateEnd, GateSettings, GateState, GateVerdict } from './destination-gate.ts';

/**
 * What one gate stands before: what an organization sends to one kind of path at an origin (rule W18). Breaker, cap, rate
 * and pause are its own, so that nobody is silenced by a neighbour.
 */
export interface GateTarget {
  organization_id: string;
  /** Scheme, host and port. */
  origin: string;
  /** The path, what stands for ids in it replaced. */
  path: string;
}

export interface TargetGateSettings extends GateSettings {
  /** Targets of an organization at an origin that have a gate of their own; all others there share one. Default 64. */
  maxTargets: number;
  /**
   * In flight at once to an origin, over all organizations. Half of it at most is for one organization, and half for targets
   * that are not known to answer well; of an organization's half, a half. Default 256.
   */
  originMaxInFlight: number;
  /** Requests per second to an origin. Default 1,000. */
  originRatePerSecond: number;
  /** To one that has never accepted a request, evenly spaced, from the whole installation. Default 1. */
  unknownOriginRatePerSecond: number;
}

/** Half of what an origin gets in a second is left to others than one target. */
export const DEFAULT_TARGET_GATE_SETTINGS: TargetGateSettings = {
  ...DEFAULT_GATE_SETTINGS,
  ratePerSecond: 500,
  maxTargets: 64,
  originMaxInFlight: 256,
  originRatePerSecond: 1000,
  unknownOriginRatePerSecond: 1,
};

/** What the gate knows of one target. */
export interface TargetState extends GateState {
  organization_id: string;
  /** Undefined: the one that the rest of this organization's targets there share. */
  path: string | undefined;
}

/** What the gate knows of an origin. */
export interface OriginState {
  in_flight: number;
  /** It has accepted a request. */
  is_known: boolean;
  /** Those used within the last day, the most failures first, at most {@link MAX_TARGETS_SHOWN}. */
  targets: TargetState[];
}

/** Targets of one origin that are looked at, at most. */
export const MAX_TARGETS_SHOWN = 500;

export interface TargetGate {
  /**
   * Asks to send one request now. Of those refused, each is given a time of its own to come back.
   * @param options.isProbe It may be the one that tries a target whose breaker is open, and opens it to all if it is answered;
   * nothing else is waived: not the pause that the target asked for, nor the pace of an origin that never accepted a request.
   */
  enter(target: GateTarget, nowMs: number, options?: { isProbe?: boolean }): Promise<GateVerdict>;
  /**
   * The request is over. `pauseMs`: for so long nothing shall be sent to this target.
   * Never rejects: a permit that is not given back is forgotten in time.
   */
  leave(target: GateTarget, permit: string, end: GateEnd): Promise<void>;
  /**
   * For how many milliseconds a target is closed; 0: it takes about so many requests as `room` says, at least 1. Takes nothing.
   * @throws when Redis does not answer.
   */
  roomOf(target: GateTarget, nowMs: number): Promise<{ waitMs: number; room: number }>;
  stateOf(origin: string, nowMs: number): Promise<OriginState>;
  /** Forgets failures and pauses of all targets of an origin, not that it is known. */
  reset(origin: string): Promise<void>;
  close(): Promise<void>;
}
