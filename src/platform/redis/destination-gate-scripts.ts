import type { GateSettings } from './destination-gate.ts';

/** How long what is known of a destination outlives its last request, in milliseconds. */
export const REMEMBER_MS = 24 * 3_600_000;

/** How often it is noted that something is in use, in milliseconds: not with every request. */
export const NOTE_MS = 3_600_000;

/**
 * What the scripts of gates are made of, in Lua, where `now` is a local in milliseconds. A destination is a state (hash)
 * and permits (sorted set by time of entry). A request costs few commands: what lives on need not be told to with each.
 *
 * State: `fails` in a row; `until` closed; `asked` until when the other side wants nothing; `ok` it has answered; `wake` the time given to the last one refused, so that
 * the next one gets a later; `svc` smoothed service time; `tat` of the rate (GCRA); `kept` when it was last given time to live.
 *
 * - `look(state, field)`: what stands in the state, by name; and another field of it.
 * - `keep(state, h, ms)`: it lives for so long at least.
 * - `refuse(state, h, verdict, from, spacing, ms)`: an answer to one that comes back no sooner than `from`.
 * - `paced(state, tat, interval, burst)`: whether the rate lets one go; and the `tat` to go on from. No `tat` is later than
 *   this caller's own requests could have made it: a slower rate than now, or a clock that runs ahead.
 * - `oldest_of(permits)`: when the one entered that is longest under way; nil: none is.
 * - `ask(state, permits, h, interval, probes)`: an answer, if it is refused; whether the destination is proven; `tat`; how many are under way. One that probes
 *   goes through an open breaker, alone, and not while the other side has asked for a pause.
 * - `hold(permits, held)`: counts one that goes beside so many.
 * - `ended(state, permits, interval)`: a request is over, as ARGV 2 to 6 say. A failure counts once per moment: those of
 *   requests that were in flight together when the breaker opened prolong nothing, nor does that of a probe while it is open.
 */
export function gateLua(settings: GateSettings): string {
  return `
local forget = ${settings.forgetAfterMs}
local threshold = ${settings.failuresToOpen}

local function look(state, field)
  local h = redis.call('HMGET', state, 'fails', 'until', 'ok', 'wake', 'svc', 'tat', 'kept', field or 'kept')
  return {fails = tonumber(h[1]) or 0, closed_until = tonumber(h[2]) or 0, ok = h[3], wake = tonumber(h[4]),
    svc = tonumber(h[5]) or 20, tat = tonumber(h[6]), kept = tonumber(h[7])}, h[8]
end

local function keep(state, h, ms)
  if h.kept and math.abs(now - h.kept) < ${NOTE_MS} then return end
  h.kept = now
  redis.call('HSET', state, 'kept', now)
  redis.call('PEXPIRE', state, ms + ${NOTE_MS})
end

local function refuse(state, h, verdict, from, spacing, ms)
  local wake = math.max(h.wake or 0, from) + spacing
  if wake - from > 600000 then wake = from + 600000 end
  redis.call('HSET', state, 'wake', wake)
  keep(state, h, ms or ${REMEMBER_MS})
  return {verdict, 0, math.ceil(wake - now)}
end

local function paced(state, stored, interval, burst)
  local tat = math.max(tonumber(stored) or 0, now)
  local latest = now + burst + interval
  if tat > latest then
    tat = latest
    redis.call('HSET', state, 'tat', tat)
  end
  return tat - now <= burst, tat
end

local function asks_for_pause(state)
  return (tonumber(redis.call('HGET', state, 'asked')) or 0) > now
end

local function oldest_of(permits)
  local oldest = redis.call('ZRANGE', permits, 0, 0, 'WITHSCORES')[2]
  if oldest and tonumber(oldest) < now - forget then
    redis.call('ZREMRANGEBYSCORE', permits, '-inf', '(' .. (now - forget))
    oldest = redis.call('ZRANGE', permits, 0, 0, 'WITHSCORES')[2]
  end
  return tonumber(oldest)
end

local function ask(state, permits, h, interval, probes)
  local fails = h.fails
  if h.closed_until > now and (not probes or fails < threshold or asks_for_pause(state)) then
    return refuse(state, h, -1, h.closed_until, 10)
  end

  local oldest = oldest_of(permits)
  local held = oldest and redis.call('ZCARD', permits) or 0
  local proven = 0
  local cap = ${settings.maxInFlightUnproven}
  if fails >= threshold then
    cap = 1
  elseif fails > 0 then
    cap = ${settings.maxInFlightSuspect}
  elseif oldest and now - oldest > ${settings.slowAfterMs} then
    cap = ${settings.maxInFlightSuspect}
  elseif h.ok then
    cap = ${settings.maxInFlight}
    proven = 1
  end
  if held >= cap then
    if fails >= threshold then return refuse(state, h, -1, now + 1000, 10) end
    return refuse(state, h, 0, now + 20, math.max(1, h.svc / cap))
  end

  local goes, tat = paced(state, h.tat, interval, ${settings.burstMs})
  if goes then return nil, proven, tat, held end
  ${settings.burstMs === 0 ? 'return {0, 0, math.ceil(tat - now)}' : `return refuse(state, h, 0, tat - ${settings.burstMs}, interval)`}
end

local function hold(permits, held)
  redis.call('ZADD', permits, now, ARGV[2])
  if held == 0 then redis.call('PEXPIRE', permits, ${REMEMBER_MS}) end
end

local function ended(state, permits, interval)
  local outcome = ARGV[3]
  redis.call('ZREM', permits, ARGV[2])
  local h = look(state)
  if outcome == 'unsent' then
    if h.tat then redis.call('HSET', state, 'tat', h.tat - interval) end
  elseif outcome == 'ok' or outcome == 'accepted' then
    if h.fails > 0 then redis.call('HDEL', state, 'wake') end
    local svc = h.svc * 0.8 + tonumber(ARGV[4]) * 0.2
    if h.fails > 0 or not h.ok or math.abs(svc - h.svc) > h.svc / 20 then
      redis.call('HSET', state, 'fails', 0, 'ok', 1, 'svc', svc)
    end
    if ARGV[6] == '1' and not asks_for_pause(state) then redis.call('HDEL', state, 'until') end
  elseif outcome == 'failed' and h.closed_until <= now then
    local fails = h.fails + 1
    redis.call('HSET', state, 'fails', fails)
    if fails >= threshold then
      local open = math.min(${settings.openMs} * 2 ^ (fails - threshold), ${settings.maxOpenMs})
      redis.call('HSET', state, 'until', now + math.floor(open))
    end
  end
  local pause = tonumber(ARGV[5])
  if pause > 0 then
    local closed_until = tonumber(redis.call('HGET', state, 'until') or '0')
    redis.call('HSET', state, 'until', math.max(closed_until, now + pause),
      'asked', math.max(tonumber(redis.call('HGET', state, 'asked')) or 0, now + pause))
  end
  keep(state, h, ${REMEMBER_MS})
end
`;
}

/**
 * KEYS: state, permits. ARGV: now in milliseconds, permit, requests per second.
 * Answers {allowed (1), or busy (0), or closed (-1); proven; wait}.
 */
export function enterScript(settings: GateSettings): string {
  return `
local now = tonumber(ARGV[1])
${gateLua(settings)}
local interval = 1000 / tonumber(ARGV[3])
local h = look(KEYS[1])
local refusal, proven, tat, held = ask(KEYS[1], KEYS[2], h, interval)
if refusal then return refusal end
redis.call('HSET', KEYS[1], 'tat', tat + interval)
keep(KEYS[1], h, ${REMEMBER_MS})
hold(KEYS[2], held)
return {1, proven, 0}
`;
}

/** KEYS as above. ARGV: now, permit, outcome, took, pause; none of them probes. */
export function leaveScript(settings: GateSettings): string {
  return `
local now = tonumber(ARGV[1])
${gateLua(settings)}
ended(KEYS[1], KEYS[2], ${1000 / settings.ratePerSecond})
return 1
`;
}
