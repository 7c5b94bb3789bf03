import type { GateSettings } from './destination-gate.ts';

/** How long what is known of a destination outlives its last request, in milliseconds. */
export const REMEMBER_MS = 24 * 3_600_000;

/**
 * What the scripts of gates are made of, in Lua, where `now` is a local in milliseconds. A destination is a state (hash)
 * and permits (sorted set by time of entry).
 *
 * State: `fails` in a row; `until` closed; `asked` until when the other side wants nothing; `ok` it has answered; `wake` the time given to the last one refused, so that
 * the next one gets a later; `svc` smoothed service time; `tat` of the rate (GCRA).
 *
 * - `refuse(state, wake, verdict, from, spacing)`: an answer to one that comes back no sooner than `from`.
 * - `paced(state, tat, interval, burst)`: whether the rate lets one go; and the `tat` to go on from. No `tat` is later than
 *   this caller's own requests could have made it: a slower rate than now, or a clock that runs ahead.
 * - `ask(state, permits, interval, probes)`: an answer, if it is refused; whether the destination is proven; `tat`. One that probes
 *   goes through an open breaker, alone, and not while the other side has asked for a pause.
 * - `take(state, permits, tat, interval)`: counts one that goes.
 * - `ended(state, permits, interval)`: a request is over, as ARGV 2 to 6 say. A failure counts once per moment: those of
 *   requests that were in flight together when the breaker opened prolong nothing, nor does that of a probe while it is open.
 */
export function gateLua(settings: GateSettings): string {
  return `
local forget = ${settings.forgetAfterMs}
local threshold = ${settings.failuresToOpen}

local function refuse(state, wake, verdict, from, spacing)
  wake = math.max(tonumber(wake) or 0, from) + spacing
  if wake - from > 600000 then wake = from + 600000 end
  redis.call('HSET', state, 'wake', wake)
  redis.call('PEXPIRE', state, ${REMEMBER_MS})
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

local function ask(state, permits, interval, probes)
  local h = redis.call('HMGET', state, 'fails', 'until', 'ok', 'wake', 'svc', 'tat')
  local fails = tonumber(h[1]) or 0
  local closed_until = tonumber(h[2]) or 0
  local svc = tonumber(h[5]) or 20
  if closed_until > now and (not probes or fails < threshold or asks_for_pause(state)) then
    return refuse(state, h[4], -1, closed_until, 10)
  end

  redis.call('ZREMRANGEBYSCORE', permits, '-inf', '(' .. (now - forget))
  local held = redis.call('ZCARD', permits)
  local proven = 0
  local cap = ${settings.maxInFlightUnproven}
  if fails >= threshold then
    cap = 1
  elseif fails > 0 then
    cap = ${settings.maxInFlightSuspect}
  else
    local oldest = held > 0 and redis.call('ZRANGE', permits, 0, 0, 'WITHSCORES') or {}
    if oldest[2] and now - tonumber(oldest[2]) > ${settings.slowAfterMs} then
      cap = ${settings.maxInFlightSuspect}
    elseif h[3] then
      cap = ${settings.maxInFlight}
      proven = 1
    end
  end
  if held >= cap then
    if fails >= threshold then return refuse(state, h[4], -1, now + 1000, 10) end
    return refuse(state, h[4], 0, now + 20, math.max(1, svc / cap))
  end

  local goes, tat = paced(state, h[6], interval, ${settings.burstMs})
  if goes then return nil, proven, tat end
  ${settings.burstMs === 0 ? 'return {0, 0, math.ceil(tat - now)}' : `return refuse(state, h[4], 0, tat - ${settings.burstMs}, interval)`}
end

local function take(state, permits, tat, interval)
  redis.call('HSET', state, 'tat', tat + interval)
  redis.call('PEXPIRE', state, ${REMEMBER_MS})
  redis.call('ZADD', permits, now, ARGV[2])
  redis.call('PEXPIRE', permits, forget + 1000)
end

local function ended(state, permits, interval)
  local outcome = ARGV[3]
  redis.call('ZREM', permits, ARGV[2])
  if outcome == 'unsent' then
    local tat = tonumber(redis.call('HGET', state, 'tat'))
    if tat then redis.call('HSET', state, 'tat', tat - interval) end
  elseif outcome == 'ok' or outcome == 'accepted' then
    local h = redis.call('HMGET', state, 'svc', 'fails')
    if (tonumber(h[2]) or 0) > 0 then redis.call('HDEL', state, 'wake') end
    redis.call('HSET', state, 'fails', 0, 'ok', 1, 'svc', (tonumber(h[1]) or 20) * 0.8 + tonumber(ARGV[4]) * 0.2)
    if ARGV[6] == '1' and not asks_for_pause(state) then redis.call('HDEL', state, 'until') end
  elseif outcome == 'failed' then
    local h = redis.call('HMGET', state, 'fails', 'until')
    local closed_until = tonumber(h[2]) or 0
    if closed_until <= now then
      local fails = (tonumber(h[1]) or 0) + 1
      redis.call('HSET', state, 'fails', fails)
      if fails >= threshold then
        local open = math.min(${settings.openMs} * 2 ^ (fails - threshold), ${settings.maxOpenMs})
        redis.call('HSET', state, 'until', now + math.floor(open))
      end
    end
  end
  local pause = tonumber(ARGV[5])
  if pause > 0 then
    local closed_until = tonumber(redis.call('HGET', state, 'until') or '0')
    redis.call('HSET', state, 'until', math.max(closed_until, now + pause),
      'asked', math.max(tonumber(redis.call('HGET', state, 'asked')) or 0, now + pause))
  end
  redis.call('PEXPIRE', state, ${REMEMBER_MS})
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
local refusal, proven, tat = ask(KEYS[1], KEYS[2], interval)
if refusal then return refusal end
take(KEYS[1], KEYS[2], tat, interval)
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
