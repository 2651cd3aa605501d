// What the store runs as one step: nothing comes between the look and the taking, and the time is the
// store's own, so that the clocks of the processes do not matter.
import { luaScript } from '../valkey.ts'

/**
 * Takes all claims or none. A log is a list of `stamp:sum`, the sum being that of everything that was
 * ever entered, so that the sum between two entries is one subtraction. Its first element is not
 * counted any more: it only says from which sum the others count.
 *
 * KEYS the logs. ARGV the window in µs; then for each log its limit, the cost, what was taken elsewhere
 * and must be entered whether there is room or not, and the length of its slots in µs, 0 for none.
 * Answers 1 or 0, and for each log what is used, and in ms until its oldest leaves and until the cost fits.
 */
export const TAKE = luaScript(`
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local window = tonumber(ARGV[1])

local function entry(text)
  local stamp, sum = string.match(text, '^(%d+):(%d+)$')
  return { stamp = tonumber(stamp), sum = tonumber(sum) }
end

local function open(key, at)
  local log = {
    key = key, limit = tonumber(ARGV[at]), cost = tonumber(ARGV[at + 1]), slot = tonumber(ARGV[at + 3]),
    base = { stamp = 0, sum = 0 }, last = { stamp = 0, sum = 0 }, exists = false
  }
  local first = redis.call('LINDEX', key, 0)
  if first then
    log.exists = true
    log.base = entry(first)
    local second = redis.call('LINDEX', key, 1)
    while second and entry(second).stamp <= now - window do
      redis.call('LPOP', key)
      log.base = entry(second)
      second = redis.call('LINDEX', key, 1)
    end
    log.oldest = second and entry(second) or nil
    log.last = second and entry(redis.call('LINDEX', key, -1)) or log.base
  end
  return log
end

local function enter(log, cost)
  local stamp = now
  if log.slot > 0 then stamp = math.ceil(now / log.slot) * log.slot end
  -- A store whose clock was set back, or that took over from another one, must not end a log too early.
  if stamp < log.last.stamp then stamp = log.last.stamp end
  local new = { stamp = stamp, sum = log.last.sum + cost }
  local text = string.format('%.0f:%.0f', new.stamp, new.sum)
  if log.oldest and log.last.stamp == stamp then
    redis.call('LSET', log.key, -1, text)
  else
    if not log.exists then redis.call('RPUSH', log.key, '0:0') end
    redis.call('RPUSH', log.key, text)
    log.exists = true
    log.oldest = log.oldest or new
  end
  log.last = new
  redis.call('PEXPIRE', log.key, math.ceil((window + log.slot) / 1000) + 1000)
end

local function wait(log)
  local enough = log.last.sum + log.cost - log.limit
  if enough <= log.base.sum then return 0 end
  local from = 1
  while true do
    local some = redis.call('LRANGE', log.key, from, from + 15)
    if #some == 0 then return window end
    for _, text in ipairs(some) do
      local one = entry(text)
      if one.sum >= enough then return one.stamp + window - now end
    end
    from = from + 16
  end
end

local logs, admitted = {}, 1
for i, key in ipairs(KEYS) do
  local at = 2 + (i - 1) * 4
  local log = open(key, at)
  local elsewhere = tonumber(ARGV[at + 2])
  if elsewhere > 0 then enter(log, elsewhere) end
  if log.last.sum - log.base.sum + log.cost > log.limit then admitted = 0 end
  logs[i] = log
end

local answer = { admitted }
for i, log in ipairs(logs) do
  local waiting = 0
  if admitted == 0 then waiting = wait(log) elseif log.cost > 0 then enter(log, log.cost) end
  answer[#answer + 1] = log.last.sum - log.base.sum
  answer[#answer + 1] = log.oldest and math.ceil((log.oldest.stamp + window - now) / 1000) or 0
  answer[#answer + 1] = math.ceil(waiting / 1000)
end
return answer
`)

/**
 * Says that a process lives, and answers how many do and which life of the store this is.
 *
 * KEYS the living, the name of the store's life. ARGV this process, the silence in µs after which one
 * counts as dead, a name for the store's life in case that it has none.
 */
export const BEAT = luaScript(`
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2])
redis.call('SET', KEYS[2], ARGV[3], 'NX')
return { redis.call('ZCARD', KEYS[1]), redis.call('GET', KEYS[2]) }
`)
