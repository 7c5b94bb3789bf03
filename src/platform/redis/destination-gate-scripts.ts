import type { GateSettings } from './destination-gate.ts';

/** How long what is known of a destination outlives its last request, in milliseconds. */
const REMEMBER_MS = 24 * 3_600_000;

/**
 * KEYS: state (hash), permits (sorted set by time of entry). ARGV: now in milliseconds, permit, requests per second.
 *
 * State: `fails` in a row; `until` closed; `ok` it has answered; `wake` the time given to the last one refused, so that
 * the next one gets a later; `svc` smoothed service time; `tat` of the rate (GCRA).
 * No `tat` is later than this caller's own requests could have made it: a slower rate than now, or a clock that runs ahead.
 * Answers {allowed (1), or busy (0), or closed (-1); proven; wait}.
 */
export function enterScript(settings: GateSettings): string {
  return `
local now = tonumber(ARGV[1])
local forget = ${settings.forgetAfterMs}
local threshold = ${settings.failuresToOpen}
local interval = 1000 / tonumber(ARGV[3])
local h = redis.call('HMGET', KEYS[1], 'fails', 'until', 'ok', 'wake', 'svc', 'tat')
local fails = tonumber(h[1]) or 0
local closed_until = tonumber(h[2]) or 0
local svc = tonumber(h[5]) or 20

local function refuse(verdict, from, spacing)
  local wake = math.max(tonumber(h[4]) or 0, from) + spacing
  if wake - from > 600000 then wake = from + 600000 end
  redis.call('HSET', KEYS[1], 'wake', wake)
  redis.call('PEXPIRE', KEYS[1], ${REMEMBER_MS})
  return {verdict, 0, math.ceil(wake - now)}
end

if closed_until > now then return refuse(-1, closed_until, 10) end

redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', '(' .. (now - forget))
local held = redis.call('ZCARD', KEYS[2])
local proven = 0
local cap = ${settings.maxInFlightUnproven}
if fails >= threshold then
  cap = 1
elseif fails > 0 then
  cap = ${settings.maxInFlightSuspect}
else
  local oldest = held > 0 and redis.call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES') or {}
  if oldest[2] and now - tonumber(oldest[2]) > ${settings.slowAfterMs} then
    cap = ${settings.maxInFlightSuspect}
  elseif h[3] then
    cap = ${settings.maxInFlight}
    proven = 1
  end
end
if held >= cap then
  if fails >= threshold then return refuse(-1, now + 1000, 10) end
  return refuse(0, now + 20, math.max(1, svc / cap))
end

local tat = math.max(tonumber(h[6]) or 0, now)
local latest = now + ${settings.burstMs} + interval
if tat > latest then
  tat = latest
  redis.call('HSET', KEYS[1], 'tat', tat)
end
if tat - now > ${settings.burstMs} then ${settings.burstMs === 0 ? 'return {0, 0, math.ceil(tat - now)}' : `return refuse(0, tat - ${settings.burstMs}, interval)`} end
redis.call('HSET', KEYS[1], 'tat', tat + interval)
redis.call('PEXPIRE', KEYS[1], ${REMEMBER_MS})
redis.call('ZADD', KEYS[2], now, ARGV[2])
redis.call('PEXPIRE', KEYS[2], forget + 1000)
return {1, proven, 0}
`;
}

/**
 * KEYS as above. ARGV: now, permit, outcome, took, pause.
 * A failure counts once per moment: those of requests that were in flight together when the breaker opened prolong
 * nothing.
 */
export function leaveScript(settings: GateSettings): string {
  return `
local now = tonumber(ARGV[1])
redis.call('ZREM', KEYS[2], ARGV[2])
if ARGV[3] == 'ok' then
  local svc = tonumber(redis.call('HGET', KEYS[1], 'svc') or '20')
  local was = tonumber(redis.call('HGET', KEYS[1], 'fails') or '0')
  if was > 0 then redis.call('HDEL', KEYS[1], 'wake') end
  redis.call('HSET', KEYS[1], 'fails', 0, 'ok', 1, 'svc', svc * 0.8 + tonumber(ARGV[4]) * 0.2)
elseif ARGV[3] == 'failed' then
  local h = redis.call('HMGET', KEYS[1], 'fails', 'until')
  local threshold = ${settings.failuresToOpen}
  local closed_until = tonumber(h[2]) or 0
  if closed_until <= now then
    local fails = (tonumber(h[1]) or 0) + 1
    redis.call('HSET', KEYS[1], 'fails', fails)
    if fails >= threshold then
      local open = math.min(${settings.openMs} * 2 ^ (fails - threshold), ${settings.maxOpenMs})
      redis.call('HSET', KEYS[1], 'until', now + math.floor(open))
    end
  end
end
local pause = tonumber(ARGV[5])
if pause > 0 then
  local closed_until = tonumber(redis.call('HGET', KEYS[1], 'until') or '0')
  redis.call('HSET', KEYS[1], 'until', math.max(closed_until, now + pause))
end
redis.call('PEXPIRE', KEYS[1], ${REMEMBER_MS})
return 1
`;
}
