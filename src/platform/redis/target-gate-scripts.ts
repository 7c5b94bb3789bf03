import { gateLua, NOTE_MS, REMEMBER_MS } from './destination-gate-scripts.ts';
import type { TargetGateSettings } from './target-gate.ts';

/** How long it is known of an origin that it has accepted a request, after its last one, in milliseconds. */
const KNOWN_MS = 7 * REMEMBER_MS;

/**
 * KEYS: 1, 2 state and permits of the target; 3, 4 of the one that an organization's other targets share; 5 its targets here
 * (sorted set by use); 6, 7 its permits here, all and those for targets that are not proven; 8 state of the origin; 9, 10 permits
 * there likewise; 11 the organizations that send there (sorted set by use).
 * ARGV: now, permit, whether this process has had a request accepted there, path, organization, whether it probes.
 * Answers {allowed (1), or busy (0), or closed (-1); proven; wait; has a gate of its own}.
 *
 * State of the target has also: `used` when it was noted to be one of 5. State of the origin: `ok` it has accepted a request; `tat`, `wake` and
 * `kept` as of a target.
 */
export function enterTargetScript(settings: TargetGateSettings): string {
  const { originMaxInFlight: most, maxTargets } = settings;
  return `
local now = tonumber(ARGV[1])
${gateLua(settings)}
${paceLua(settings)}
local h, used = look(KEYS[1], 'used')
local own = 1
if not used or math.abs(now - tonumber(used)) > ${NOTE_MS} then
  if not redis.call('ZSCORE', KEYS[5], ARGV[4]) then
    if redis.call('ZCARD', KEYS[5]) >= ${maxTargets} then
      redis.call('ZREMRANGEBYSCORE', KEYS[5], '-inf', now - ${REMEMBER_MS})
    end
    if redis.call('ZCARD', KEYS[5]) >= ${maxTargets} then own = 0 end
  end
  if own == 1 then
    redis.call('ZADD', KEYS[5], now, ARGV[4])
    redis.call('ZREMRANGEBYSCORE', KEYS[11], '-inf', now - ${REMEMBER_MS + NOTE_MS})
    redis.call('ZADD', KEYS[11], now, ARGV[5])
    redis.call('PEXPIRE', KEYS[5], ${2 * REMEMBER_MS})
    redis.call('PEXPIRE', KEYS[11], ${2 * REMEMBER_MS})
    redis.call('HSET', KEYS[1], 'used', now)
    keep(KEYS[1], h, ${REMEMBER_MS})
  else
    h = look(KEYS[3])
  end
end
local state = own == 1 and KEYS[1] or KEYS[3]
local permits = own == 1 and KEYS[2] or KEYS[4]

local refusal, proven, tat, held = ask(state, permits, h, interval, ARGV[6] == '1')
if refusal then return refusal end

local o = look(KEYS[8])
local known = o.ok or ARGV[3] == '1'
if known and not o.ok then
  o = {kept = now}
  welcome(KEYS[8])
end
local goes, origin_tat = paced(KEYS[8], o.tat, origin_interval(known), known and ${settings.burstMs} or 0)
if not goes then
  if known then return refuse(KEYS[8], o, 0, origin_tat - ${settings.burstMs}, origin_interval(known), ${KNOWN_MS}) end
  return refuse(KEYS[8], o, -1, origin_tat, 2, ${KNOWN_MS})
end

local function room(all, others, cap)
  local count, unproven = redis.call('ZCARD', all), proven == 0 and redis.call('ZCARD', others) or 0
  if count < cap and unproven < cap / 2 then return true, count, unproven end
  redis.call('ZREMRANGEBYSCORE', all, '-inf', '(' .. (now - forget))
  redis.call('ZREMRANGEBYSCORE', others, '-inf', '(' .. (now - forget))
  count, unproven = redis.call('ZCARD', all), proven == 0 and redis.call('ZCARD', others) or 0
  return count < cap and unproven < cap / 2, count, unproven
end
local ours, all_ours, unproven_ours = room(KEYS[6], KEYS[7], ${most / 2})
local theirs, all_theirs, unproven_theirs = false, 0, 0
if ours then theirs, all_theirs, unproven_theirs = room(KEYS[9], KEYS[10], ${most}) end
if not (ours and theirs) then return refuse(state, h, 0, now + 20, 5) end

redis.call('HSET', state, 'tat', tat + interval)
keep(state, h, ${REMEMBER_MS})
redis.call('HSET', KEYS[8], 'tat', origin_tat + origin_interval(known))
keep(KEYS[8], o, ${KNOWN_MS})
hold(permits, held)
hold(KEYS[6], all_ours)
hold(KEYS[9], all_theirs)
if proven == 0 then
  hold(KEYS[7], unproven_ours)
  hold(KEYS[10], unproven_theirs)
end
return {1, proven, 0, own}
`;
}

/**
 * KEYS: 1, 2 state and permits of the target, its own or the shared ones; 3, 4 the organization's permits there, all and those for
 * targets that are not proven; 5 state of the origin; 6, 7 permits there likewise. ARGV: now, permit, outcome, took, pause, whether it probed,
 * whether the target was proven.
 */
export function leaveTargetScript(settings: TargetGateSettings): string {
  return `
local now = tonumber(ARGV[1])
${gateLua(settings)}
${paceLua(settings)}
ended(KEYS[1], KEYS[2], interval)
redis.call('ZREM', KEYS[3], ARGV[2])
redis.call('ZREM', KEYS[6], ARGV[2])
if ARGV[7] == '0' then
  redis.call('ZREM', KEYS[4], ARGV[2])
  redis.call('ZREM', KEYS[7], ARGV[2])
end
if ARGV[3] == 'unsent' then
  local o = look(KEYS[5])
  if o.tat then redis.call('HSET', KEYS[5], 'tat', o.tat - origin_interval(o.ok)) end
elseif ARGV[3] == 'accepted' and not redis.call('HGET', KEYS[5], 'ok') then
  welcome(KEYS[5])
end
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
  redis.call('HSET', origin, 'ok', 1, 'kept', now)
  redis.call('PEXPIRE', origin, ${KNOWN_MS + NOTE_MS})
end
`;
}
