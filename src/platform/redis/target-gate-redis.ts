import type { GateVerdict } from './destination-gate.ts';
import { openGateConnection } from './gate-connection.ts';
import type { Logger } from '../log.ts';
import { withinDeadline } from './redis-connection.ts';
import type { RedisAddress, RedisClient } from './redis-connection.ts';
import { DEFAULT_TARGET_GATE_SETTINGS, MAX_TARGETS_SHOWN } from './target-gate.ts';
import type { GateTarget, OriginState, TargetGate, TargetGateSettings, TargetState } from './target-gate.ts';
import { targetKeys } from './target-gate-keys.ts';
import type { TargetKeys } from './target-gate-keys.ts';
import { enterTargetScript, leaveTargetScript } from './target-gate-scripts.ts';

export interface TargetGateOptions {
  connection: RedisAddress;
  /** Begins every key. No `:` at the end. */
  prefix: string;
  logger: Logger;
  settings?: Partial<TargetGateSettings>;
}

type GateRedis = RedisClient & {
  targetEnter(...args: (string | number)[]): Promise<[allowed: number, proven: number, waitMs: number, own: number]>;
  targetLeave(...args: (string | number)[]): Promise<unknown>;
};

/**
 * The {@link TargetGate} in Redis: one atomic script to enter and one to leave, each one round trip that many requests of
 * a moment share. With Redis away it lets everybody pass, since then no queue gives out work either. What each process has
 * seen accepted it tells a Redis that has lost its memory, so that a flush slows no origin that works.
 */
export function createTargetGate({ connection, prefix, logger, settings }: TargetGateOptions): TargetGate {
  const { redis, ...way } = openGateConnection<GateRedis>(connection, logger, 'destination gate');
  const rules = { ...DEFAULT_TARGET_GATE_SETTINGS, ...settings };
  redis.defineCommand('targetEnter', { numberOfKeys: 11, lua: enterTargetScript(rules) });
  redis.defineCommand('targetLeave', { numberOfKeys: 7, lua: leaveTargetScript(rules) });
  const keys = targetKeys(prefix);
  /** Origins that have accepted a request of this process. */
  const accepted = new Set<string>();

  function noteAccepted(origin: string): void {
    if (accepted.size >= MAX_ACCEPTED && !accepted.has(origin)) accepted.clear();
    accepted.add(origin);
  }

  /** Every target of an origin that was used lately, by organization. */
  async function targetsAt(origin: string): Promise<{ organization_id: string; path: string | undefined }[]> {
    const found: { organization_id: string; path: string | undefined }[] = [];
    for (const organization_id of await redis.zrevrange(keys.origin(origin).organizations, 0, MAX_TARGETS_SHOWN - 1)) {
      const paths = await redis.zrevrange(keys.group(organization_id, origin).targets, 0, -1);
      found.push(...[...paths, undefined].map((path) => ({ organization_id, path })));
      if (found.length >= MAX_TARGETS_SHOWN) break;
    }
    return found.slice(0, MAX_TARGETS_SHOWN);
  }

  /** What is known of one target; undefined when that is nothing. */
  async function stateOfTarget(
    origin: string,
    { organization_id, path }: { organization_id: string; path: string | undefined },
    nowMs: number,
  ): Promise<TargetState | undefined> {
    const { state, permits } = keys.target({ organization_id, origin, path });
    const [fields, in_flight] = await Promise.all([
      redis.hmget(state, 'fails', 'until', 'wake', 'tat'),
      redis.zcount(permits, Math.floor(nowMs) - rules.forgetAfterMs, '+inf'),
    ]);
    if (fields.every((field) => field === null)) return undefined;
    const until = Number(fields[1] ?? 0);
    return {
      ...{ organization_id, path, in_flight },
      consecutive_failures: Number(fields[0] ?? 0),
      closed_until: until > nowMs ? until : undefined,
    };
  }

  return {
    async enter(target, nowMs, { isProbe = false } = {}): Promise<GateVerdict> {
      const permit = way.permit();
      const uncounted = { allowed: true, permit: given(permit, UNCOUNTED), isProven: true, isCounted: false } as const;
      if (!(await way.isThere())) return uncounted;
      try {
        const { origin, organization_id, path } = target;
        const facts = [Math.floor(nowMs), permit, accepted.has(origin) ? 1 : 0, path, organization_id, isProbe ? 1 : 0];
        const entering = redis.targetEnter(...enterKeys(keys, target), ...facts);
        const [allowed, proven, waitMs, own] = await withinDeadline(entering, 'gate');
        if (allowed !== 1) return { allowed: false, reason: allowed === 0 ? 'busy' : 'closed', waitMs };
        const isProven = proven === 1;
        const kind = { isOwn: own === 1, isProven, isProbe };
        return { allowed: true, permit: given(permit, kind), isProven, isCounted: true };
      } catch (error) {
        logger.debug({ destination: target.origin, err: error }, 'the gate does not answer; letting the request pass');
        return uncounted;
      }
    },
    async leave(target, permit, { outcome, nowMs, tookMs, pauseMs = 0 }) {
      if (outcome === 'accepted') noteAccepted(target.origin);
      if (redis.status !== 'ready') return;
      try {
        const { isProbe, isProven } = kindOf(permit);
        const times = [Math.ceil(tookMs), Math.ceil(pauseMs)];
        const kind = [isProbe, isProven].map(Number);
        const facts = [Math.floor(nowMs), named(permit), outcome, ...times, ...kind];
        await withinDeadline(redis.targetLeave(...leaveKeys(keys, target, permit), ...facts), 'gate');
      } catch (error) {
        logger.debug({ destination: target.origin, err: error }, 'permit not given back; it will be forgotten');
      }
    },
    async roomOf(target, nowMs) {
      const { targets } = keys.group(target.organization_id, target.origin);
      const states = [target, { ...target, path: undefined }].map((place) => keys.target(place).state);
      const asking = Promise.all([
        redis.zscore(targets, target.path),
        redis.zcard(targets),
        redis.hmget(keys.origin(target.origin).state, 'ok', 'tat'),
        ...states.map((state) => redis.hmget(state, 'fails', 'until')),
      ]);
      const [score, count, [ok, tat], own, shared] = await withinDeadline(asking, 'gate');
      const [fails, until] = (score !== null || count < rules.maxTargets ? own : shared) ?? [];
      const isStranger = ok === null && !accepted.has(target.origin);
      const opensMs = Math.max(Number(until ?? 0), isStranger ? Number(tat ?? 0) : 0);
      const isCareful = isStranger || Number(fails ?? 0) >= rules.failuresToOpen;
      return { waitMs: Math.max(0, opensMs - nowMs), room: isCareful ? 1 : rules.maxInFlight };
    },
    async stateOf(origin, nowMs): Promise<OriginState> {
      const asking = async (): Promise<OriginState> => {
        const { state, all } = keys.origin(origin);
        const from = Math.floor(nowMs) - rules.forgetAfterMs;
        const [ok, in_flight] = await Promise.all([redis.hget(state, 'ok'), redis.zcount(all, from, '+inf')]);
        const targets = await targetsAt(origin);
        const states = await Promise.all(targets.map((target) => stateOfTarget(origin, target, nowMs)));
        return {
          in_flight,
          is_known: ok !== null,
          targets: states
            .filter((found) => found !== undefined)
            .sort((a, b) => b.consecutive_failures - a.consecutive_failures),
        };
      };
      return withinDeadline(asking(), 'gate');
    },
    async reset(origin) {
      const forgetting = async () => {
        const targets = await targetsAt(origin);
        const names = targets.flatMap((target) => Object.values(keys.target({ ...target, origin })));
        if (names.length > 0) await redis.del(...names);
      };
      await withinDeadline(forgetting(), 'gate');
    },
    close: () => way.close(),
  };
}

/** Origins that are remembered to have accepted a request, in each process. */
const MAX_ACCEPTED = 10_000;

function enterKeys(keys: TargetKeys, target: GateTarget): string[] {
  const own = keys.target(target);
  const shared = keys.target({ ...target, path: undefined });
  const group = keys.group(target.organization_id, target.origin);
  const origin = keys.origin(target.origin);
  return [
    ...[own.state, own.permits, shared.state, shared.permits],
    ...[group.targets, group.all, group.unproven],
    ...[origin.state, origin.all, origin.unproven, origin.organizations],
  ];
}

function leaveKeys(keys: TargetKeys, target: GateTarget, permit: string): string[] {
  const { state, permits } = keys.target(kindOf(permit).isOwn ? target : { ...target, path: undefined });
  const group = keys.group(target.organization_id, target.origin);
  const origin = keys.origin(target.origin);
  return [state, permits, group.all, group.unproven, origin.state, origin.all, origin.unproven];
}

/** What a permit was given for. */
interface PermitKind {
  /** The target has a gate of its own. */
  isOwn: boolean;
  isProven: boolean;
  isProbe: boolean;
}

const KINDS = ['isOwn', 'isProven', 'isProbe'] as const;

const UNCOUNTED: PermitKind = { isOwn: true, isProven: true, isProbe: false };

/** The permit as it is handed out: what it was given for, and its name. */
function given(permit: string, kind: PermitKind): string {
  return `${KINDS.map((name) => Number(kind[name])).join('')}:${permit}`;
}

function kindOf(permit: string): PermitKind {
  const [isOwn, isProven, isProbe] = [...KINDS.keys()].map((place) => permit[place] === '1');
  return { isOwn: isOwn === true, isProven: isProven === true, isProbe: isProbe === true };
}

function named(permit: string): string {
  return permit.slice(permit.indexOf(':') + 1);
}
