import { createHash } from 'node:crypto';
import { DEFAULT_GATE_SETTINGS } from './destination-gate.ts';
import type { DestinationGate, GateSettings, GateVerdict } from './destination-gate.ts';
import { enterScript, leaveScript } from './destination-gate-scripts.ts';
import { openGateConnection } from './gate-connection.ts';
import type { Logger } from '../log.ts';
import { withinDeadline } from './redis-connection.ts';
import type { RedisAddress, RedisClient } from './redis-connection.ts';

export interface DestinationGateOptions {
  connection: RedisAddress;
  /** Begins every key. No `:` at the end. */
  prefix: string;
  logger: Logger;
  settings?: Partial<GateSettings>;
}

type GateRedis = RedisClient & {
  gateEnter(...args: (string | number)[]): Promise<[allowed: number, proven: number, waitMs: number]>;
  gateLeave(...args: (string | number)[]): Promise<unknown>;
};

/**
 * The {@link DestinationGate} in Redis: one atomic script to enter and one to leave, each one round trip that many
 * requests of a moment share. With Redis away it lets everybody pass, since then no queue gives out work either.
 */
export function createDestinationGate({
  connection,
  prefix,
  logger,
  settings,
}: DestinationGateOptions): DestinationGate {
  const { redis, ...way } = openGateConnection<GateRedis>(connection, logger, 'destination gate');
  const rules = { ...DEFAULT_GATE_SETTINGS, ...settings };
  redis.defineCommand('gateEnter', { numberOfKeys: 2, lua: enterScript(rules) });
  redis.defineCommand('gateLeave', { numberOfKeys: 2, lua: leaveScript(rules) });
  const known = new Map<string, [state: string, permits: string]>();

  function keysOf(destination: string): [state: string, permits: string] {
    const keys = known.get(destination);
    if (keys !== undefined) return keys;
    if (known.size >= MAX_KNOWN) known.clear();
    const id = createHash('sha256').update(destination).digest('base64url').slice(0, 22);
    const made: [string, string] = [`${prefix}:gate:{${id}}:s`, `${prefix}:gate:{${id}}:p`];
    known.set(destination, made);
    return made;
  }

  return {
    async enter(destination, nowMs, { ratePerSecond = rules.ratePerSecond } = {}): Promise<GateVerdict> {
      const permit = way.permit();
      const uncounted = { allowed: true, permit, isProven: true, isCounted: false } as const;
      if (!(await way.isThere())) return uncounted;
      try {
        const entering = redis.gateEnter(...keysOf(destination), Math.floor(nowMs), permit, ratePerSecond);
        const [allowed, proven, waitMs] = await withinDeadline(entering, 'gate');
        if (allowed === 1) return { allowed: true, permit, isProven: proven === 1, isCounted: true };
        return { allowed: false, reason: allowed === 0 ? 'busy' : 'closed', waitMs };
      } catch (error) {
        logger.debug({ destination, err: error }, 'the gate does not answer; letting the request pass');
        return uncounted;
      }
    },
    async leave(destination, permit, { outcome, nowMs, tookMs, pauseMs = 0 }) {
      if (redis.status !== 'ready') return;
      try {
        const facts = [Math.floor(nowMs), permit, outcome, Math.ceil(tookMs), Math.ceil(pauseMs)];
        await withinDeadline(redis.gateLeave(...keysOf(destination), ...facts), 'gate');
      } catch (error) {
        logger.debug({ destination, err: error }, 'permit not given back; it will be forgotten');
      }
    },
    async stateOf(destination, nowMs) {
      const [state, held] = keysOf(destination);
      const [fields, in_flight] = await withinDeadline(
        Promise.all([
          redis.hmget(state, 'fails', 'until'),
          redis.zcount(held, Math.floor(nowMs) - rules.forgetAfterMs, '+inf'),
        ]),
        'gate',
      );
      const until = Number(fields[1] ?? 0);
      return {
        in_flight,
        consecutive_failures: Number(fields[0] ?? 0),
        closed_until: until > nowMs ? until : undefined,
      };
    },
    async reset(destination) {
      await withinDeadline(redis.del(...keysOf(destination)), 'gate');
    },
    close: () => way.close(),
  };
}

/** Names of Redis keys kept at hand. */
const MAX_KNOWN = 10_000;
