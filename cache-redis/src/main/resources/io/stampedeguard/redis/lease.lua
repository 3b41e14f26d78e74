-- Takes the lease of a key, unless there is an unseen entry, somebody holds it, the key cools down, or is not cacheable.
-- KEYS: value, lease. ARGV: token, seen token (or empty), lifetime of the lease in ms.
-- 1. An entry that begins with another token than the seen one: found. Only its first bytes are read before that is known.
-- 2. No lease, one that is this token's already, or something that is not even a string: granted.
-- 3. What stands in place of the lease carries its own length, and lives no longer than that from now on: a clock of the
--    server that was set back would prolong it.
-- 4. The mark of a failed load: failed, for how many ms; once it has cooled down: granted, after how many failures.
-- 5. The mark of a result that is not stored: not cacheable, for how many ms.
-- 6. A foreign lease without end: granted.
-- 7. Otherwise: held, by whom and for how many ms.
-- Granted and found carry the store's clock, by which entries are stamped and judged.
local head = redis.pcall('GETRANGE', KEYS[1], 0, 15)
if type(head) == 'string' and #head == 16 and head ~= ARGV[2] then
  local time = redis.call('TIME')
  return {'found', redis.call('GET', KEYS[1]), time[1], time[2]}
end

local function granted(failures)
  redis.call('SET', KEYS[2], ARGV[1] .. ARGV[3], 'PX', ARGV[3])
  local time = redis.call('TIME')
  return {'granted', failures, time[1], time[2]}
end

local lease = redis.pcall('GET', KEYS[2])
if type(lease) ~= 'string' or string.sub(lease, 1, 16) == ARGV[1] then
  return granted(0)
end

local function remaining(length)
  local left = redis.call('PTTL', KEYS[2])
  if left > length then
    redis.call('PEXPIRE', KEYS[2], length)
    return length
  end
  return left
end

local failures, cools, remembered, failure = string.match(lease, '^stampedeguard:failed (%d+) (%d+) (%d+)\n()')
if failures then
  local cooling = remaining(cools + remembered) - remembered
  if cooling > 0 then
    return {'failed', string.sub(lease, failure), cooling}
  end
  return granted(tonumber(failures))
end
local passes = string.match(lease, '^stampedeguard:pass (%d+)$')
local length = string.match(lease, '^%d+$', 17)
local left = remaining(tonumber(passes or length or ARGV[3]))
if left < 0 then
  return granted(0)
end
if passes then
  return {'pass', left}
end
return {'held', length and string.sub(lease, 1, 16) or '', left}
