/** How many jobs one call moves at most, in some milliseconds. */
const MAX_MOVES = 500;

/**
 * Takes one job of a BullMQ queue, in place of BullMQ's own `moveToActive` (6.7), which it follows in all but the choice.
 *
 * Jobs are taken round-robin over those they are for. What waits is in BullMQ's `prioritized` set under BullMQ's own form of
 * score, priority × 2³² + a running number; a job's priority is the round in which it goes: 1 + the jobs its owner has waiting,
 * counted from the round that is under way. So each owner has one job a round, whoever joins does so in this round, and no job
 * waits for more than one of each other owner in every round before its own: nobody starves. Rounds are given when jobs
 * are taken from BullMQ's `wait`, where it puts new ones, those whose delay is over and those of workers that died: the
 * last of these, and whatever else was taken before, go in this round.
 *
 * Beside BullMQ's keys: `heads`, owners by the score of their first job; `rounds`, the last round given to each, while it is not
 * over; `state`: the round under way and the running number; `looked`, workers that found nothing they may take since
 * something changed; and a set of waiting jobs for each owner. All of it is forgotten when nothing waits, and made again from
 * BullMQ's own keys where it is lost. A job that was removed is passed over.
 *
 * Redis does nothing else meanwhile, so one call moves at most {@link MAX_MOVES} jobs, however many wait: where it has neither
 * taken one by then nor seen them all, it says so, and is to be made again.
 *
 * KEYS: 1 wait, 2 active, 3 prioritized, 4 events, 5 delayed, 6 meta, 7 marker, 8 heads, 9 rounds, 10 state, 11 looked.
 * ARGV: 1 what begins the keys of jobs, 2 of owners' sets, 3 now in milliseconds, 4 token, 5 how long its lock holds in
 * milliseconds, 6 this worker, 7 which member of a payload names the owner; the rest: owners of whom it takes none now.
 * Answers {the job's fields or nil, its id or nil, when the next delayed one is due or 0, owner, 1 where it is to be made again}.
 */
export const FAIR_TAKE = `
local call = redis.call
local wait, active, waiting, events, delayed = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local marker, heads, rounds, state, looked = KEYS[7], KEYS[8], KEYS[9], KEYS[10], KEYS[11]
local jobs, own, now = ARGV[1], ARGV[2], tonumber(ARGV[3])
local MOST = ${MAX_MOVES}
local left = MOST
local again = {false, false, 0, '', 1}

local passed_over = {}
for i = 8, #ARGV do passed_over[ARGV[i]] = true end

local function owner_of(data)
  local is_json, payload = pcall(cjson.decode, data or '')
  local owner = is_json and type(payload) == 'table' and payload[ARGV[7]]
  return type(owner) == 'string' and owner or ''
end

local function first_of(owner)
  local first = call('ZRANGE', own .. owner, 0, 0, 'WITHSCORES')
  if first[1] then
    call('ZADD', heads, first[2], owner)
  else
    call('ZREM', heads, owner)
  end
end

local function forget()
  for _, owner in ipairs(call('ZRANGE', heads, 0, -1)) do call('UNLINK', own .. owner) end
  call('DEL', heads, rounds, state)
end

local due = call('ZRANGEBYSCORE', delayed, 0, (now + 1) * 0x1000 - 1, 'LIMIT', 0, MOST)
for _, id in ipairs(due) do
  call('ZREM', delayed, id)
  call('LPUSH', wait, id)
  call('HSET', jobs .. id, 'delay', 0)
  call('XADD', events, '*', 'event', 'waiting', 'jobId', id, 'prev', 'delayed')
end
if call('HEXISTS', KEYS[6], 'paused') == 1 then return {false, false, 0} end

if call('ZCARD', waiting) == 0 then
  forget()
elseif call('EXISTS', heads) == 0 then
  -- From the last to the first, so that those who were first are taken first, in however many calls.
  for _, id in ipairs(call('ZREVRANGE', waiting, 0, MOST - 1)) do
    call('RPUSH', wait, id)
    call('ZREM', waiting, id)
  end
  forget()
  if call('ZCARD', waiting) > 0 then return again end
end

local round = tonumber(call('HGET', state, 'round')) or 1
local function take_in()
  while left > 0 do
    local id = call('RPOP', wait)
    if not id then break end
    left = left - 1
    local job = call('HMGET', jobs .. id, 'data', 'ats')
    local owner = owner_of(job[1])
    local turn = round
    if not job[2] then
      turn = math.max(round, (tonumber(call('ZSCORE', rounds, owner)) or 0) + 1)
      call('ZADD', rounds, turn, owner)
    end
    local score = turn * 0x100000000 + call('HINCRBY', state, 'number', 1) % 0x100000000
    call('ZADD', waiting, score, id)
    call('ZADD', own .. owner, score, id)
    first_of(owner)
    call('DEL', looked)
  end
end

local function next_owner()
  local from = 0
  while true do
    local page = call('ZRANGE', heads, from, from + 9)
    if #page == 0 then return nil end
    for _, owner in ipairs(page) do
      if not passed_over[owner] then return owner end
    end
    from = from + 10
  end
end

local function taken(id, score, owner)
  round = math.max(round, math.floor(score / 0x100000000))
  call('HSET', state, 'round', round)
  call('ZREMRANGEBYSCORE', rounds, '-inf', '(' .. round)
  call('DEL', looked)
  call('LPUSH', active, id)
  call('SET', jobs .. id .. ':lock', ARGV[4], 'PX', ARGV[5])
  call('XADD', events, '*', 'event', 'active', 'jobId', id, 'prev', 'waiting')
  call('HSET', jobs .. id, 'processedOn', ARGV[3])
  call('HINCRBY', jobs .. id, 'ats', 1)
  call('ZADD', marker, 0, '0')
  return {call('HGETALL', jobs .. id), id, 0, owner}
end

take_in()
local owner = next_owner()
while owner do
  local first = call('ZPOPMIN', own .. owner)
  first_of(owner)
  local id = first[1]
  if id and call('ZREM', waiting, id) == 1 and call('EXISTS', jobs .. id) == 1 then
    return taken(id, tonumber(first[2]), owner)
  end
  if left <= 0 then return again end
  left = left - 1
  owner = next_owner()
end
if call('LLEN', wait) > 0 then return again end

if call('ZCARD', waiting) > 0 and call('SADD', looked, ARGV[6]) == 1 then
  call('PEXPIRE', looked, 60000)
  call('ZADD', marker, 0, '0')
end
local later = call('ZRANGE', delayed, 0, 0, 'WITHSCORES')
return {false, false, later[2] and math.floor(tonumber(later[2]) / 0x1000) or 0}
`;
