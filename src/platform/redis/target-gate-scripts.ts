import { gateLua, REMEMBER_MS } from './destination-gate-scripts.ts';
import type { TargetGateSettings } from './target-gate.ts';

/** How long it is known of an origin that it has accepted a request, after its last one, in milliseconds. */
const KNOWN_MS = 7 * REMEMBER_MS;

/** How often it is noted that a target is in use, in milliseconds. */
const NOTE_MS = 3_600_000;

/**
 * KEYS: 1, 2 state and permits of the target; 3, 4 of the one that an organization's other targets share; 5 its targets here
 * (sorted set by use); 6, 7 its permits here for proven targets and for others; 8 state of the origin; 9, 10 permits there for
 * proven targets and for others; 11 the organizations that send there (sorted set by use).
 * ARGV: now, permit, whether this process has had a request accepted there, path, organization, whether it probes.
 * Answers {allowed (1), or busy (0), or closed (-1); proven; wait; has a gate of its own}.
 *
 * State of the origin: `ok` it has accepted a request; `tat` and `wake` as of a target.
 */
export function enterTargetScript(settings: TargetGateSettings): string {
  const { originMaxInFlight: most, maxTargets } = settings;
  return `
local now = tonumber(ARGV[1])
${gateLua(settings)}
${paceLua(settings)}
local used = redis.call('ZSCORE', KEYS[5], ARGV[4])
local own = 1
if not used then
  if redis.call('ZCARD', KEYS[5]) >= ${maxTargets} then
    redis.call('ZREMRANGEBYSCORE', KEYS[5], '-inf', now - ${REMEMBER_MS})
  end
  if redis.call('ZCARD', KEYS[5]) >= ${maxTargets} then own = 0 end
end
if own == 1 and (not used or now - tonumber(used) > ${NOTE_MS}) then
  redis.call('ZADD', KEYS[5], now, ARGV[4])
  redis.call('ZREMRANGEBYSCORE', KEYS[11], '-inf', now - ${REMEMBER_MS + NOTE_MS})
  redis.call('ZADD', KEYS[11], now, ARGV[5])
  redis.call('PEXPIRE', KEYS[5], ${2 * REMEMBER_MS})
  redis.call('PEXPIRE', KEYS[11], ${2 * REMEMBER_MS})
end
local state = own == 1 and KEYS[1] or KEYS[3]
local permits = own == 1 and KEYS[2] or KEYS[4]

local refusal, proven, tat = ask(state, permits, interval, ARGV[6] == '1')
if refusal then return refusal end

local o = redis.call('HMGET', KEYS[8], 'ok', 'tat', 'wake')
local known = o[1] or ARGV[3] == '1'
if known and not o[1] then
  o = {}
  welcome(KEYS[8])
end
local goes, origin_tat = paced(KEYS[8], o[2], origin_interval(known), known and ${settings.burstMs} or 0)
if not goes then
  if known then return refuse(KEYS[8], o[3], 0, origin_tat - ${settings.burstMs}, origin_interval(known)) end
  return refuse(KEYS[8], o[3], -1, origin_tat, 2)
end

local function full(with_proven, with_others, cap)
  local others = redis.call('ZCARD', with_others)
  if others + redis.call('ZCARD', with_proven) < cap and (proven == 1 or others < cap / 2) then return false end
  redis.call('ZREMRANGEBYSCORE', with_others, '-inf', '(' .. (now - forget))
  redis.call('ZREMRANGEBYSCORE', with_proven, '-inf', '(' .. (now - forget))
  others = redis.call('ZCARD', with_others)
  return others + redis.call('ZCARD', with_proven) >= cap or (proven == 0 and others >= cap / 2)
end
if full(KEYS[6], KEYS[7], ${most / 2}) or full(KEYS[9], KEYS[10], ${most}) then
  return refuse(state, redis.call('HGET', state, 'wake'), 0, now + 20, 5)
end

take(state, permits, tat, interval)
take(KEYS[8], proven == 1 and KEYS[9] or KEYS[10], origin_tat, origin_interval(known))
redis.call('PEXPIRE', KEYS[8], ${KNOWN_MS})
local ours = proven == 1 and KEYS[6] or KEYS[7]
redis.call('ZADD', ours, now, ARGV[2])
redis.call('PEXPIRE', ours, forget + 1000)
return {1, proven, 0, own}
`;
}

/**
 * KEYS: 1, 2 state and permits of the target, its own or the shared ones; 3 the organization's permits there, 4 state and 5
 * permits of the origin, each of the kind that was given. ARGV: now, permit, outcome, took, pause, whether it probed.
 */
export function leaveTargetScript(settings: TargetGateSettings): string {
  return `
local now = tonumber(ARGV[1])
${gateLua(settings)}
${paceLua(settings)}
ended(KEYS[1], KEYS[2], interval)
redis.call('ZREM', KEYS[3], ARGV[2])
redis.call('ZREM', KEYS[5], ARGV[2])
local o = redis.call('HMGET', KEYS[4], 'ok', 'tat')
if ARGV[3] == 'unsent' then
  if o[2] then redis.call('HSET', KEYS[4], 'tat', tonumber(o[2]) - origin_interval(o[1])) end
elseif ARGV[3] == 'accepted' and not o[1] then
  welcome(KEYS[4])
end
redis.call('PEXPIRE', KEYS[4], ${KNOWN_MS})
return 1
`;
}

/** The pace of a target, and that of its origin by whether this is known to have accepted a request; and how it becomes so. */
function paceLua({ ratePerSecond, originRatePerSecond, unknownOriginRatePerSecond }: TargetGateSettings): string {
  return `
local interval = ${1000 / ratePerSecond}
local function origin_interval(known)
  return known and ${1000 / originRatePerSecond} or ${1000 / unknownOriginRatePerSecond}
end
local function welcome(origin)
  redis.call('HDEL', origin, 'tat', 'wake')
  redis.call('HSET', origin, 'ok', 1)
  redis.call('PEXPIRE', origin, ${KNOWN_MS})
end
`;
}
