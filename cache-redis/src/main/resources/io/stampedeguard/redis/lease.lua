-- Takes the lease of a key, unless there is news or somebody holds it.
-- KEYS: value, lease. ARGV: token, seen token (or empty), life time of the lease in ms.
-- 1. Each answer carries the store's clock.
-- 2. A value long enough to begin with a token, and not with the seen one: found.
-- 3. No lease, one that is this token's already, or a foreign one without end or not even a string: granted.
-- 4. Else: held, by whom and for how many ms.
local time = redis.call('TIME')
local value = redis.pcall('GET', KEYS[1])
if type(value) == 'string' and #value >= 16 and string.sub(value, 1, 16) ~= ARGV[2] then
  return {time[1], time[2], 'found', value}
end
if redis.call('SET', KEYS[2], ARGV[1], 'NX', 'PX', ARGV[3]) then
  return {time[1], time[2], 'granted'}
end
local holder = redis.pcall('GET', KEYS[2])
local remaining = redis.call('PTTL', KEYS[2])
if holder == ARGV[1] or type(holder) ~= 'string' or remaining < 0 then
  redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[3])
  return {time[1], time[2], 'granted'}
end
return {time[1], time[2], 'held', holder, remaining}
