-- Takes the lease of a key, unless there is news, somebody holds it, or the key cools down after a failed load.
-- KEYS: value, lease. ARGV: token, seen token (or empty), life time of the lease in ms.
-- 1. A value long enough to begin with a token, and not with the seen one: found.
-- 2. No lease, one that is this token's already, or something that is not even a string: granted.
-- 3. The mark of a failed load: failed, for how many ms; once it has cooled down: granted, after how many failures.
-- 4. A foreign lease without end: granted.
-- 5. Else: held, by whom and for how many ms.
-- Granted and found carry the store's clock, by which entries are stamped and judged.
local both = redis.call('MGET', KEYS[1], KEYS[2])
local value, lease = both[1], both[2]

local function granted(failures)
  redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[3])
  local time = redis.call('TIME')
  return {'granted', failures, time[1], time[2]}
end

if value and #value >= 16 and string.sub(value, 1, 16) ~= ARGV[2] then
  local time = redis.call('TIME')
  return {'found', value, time[1], time[2]}
end
if not lease or lease == ARGV[1] then
  return granted(0)
end
local remaining = redis.call('PTTL', KEYS[2])
local failures, remembered, failure = string.match(lease, '^stampedeguard:failed (%d+) (%d+)\n()')
if failures then
  local cooling = remaining - remembered
  if cooling > 0 then
    return {'failed', string.sub(lease, failure), cooling}
  end
  return granted(tonumber(failures))
end
if remaining < 0 then
  return granted(0)
end
return {'held', lease, remaining}
