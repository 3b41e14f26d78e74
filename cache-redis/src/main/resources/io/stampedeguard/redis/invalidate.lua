-- Removes an entry.
-- KEYS: value, lease. ARGV: PUBLISH or SPUBLISH, channel of changes.
-- 1. Remove the entry, and with it the lease, so that a load in flight is not stored afterwards, or the cool-down.
-- 2. Tell those who wait that it is free.
--    A server that does not know the word is told PUBLISH. May fail.
-- 3. Tell those who keep copies which entry was changed. May fail, and the answer says whether it did not.
redis.call('DEL', KEYS[1], KEYS[2])
if type(redis.pcall(ARGV[1], KEYS[2], 'R')) == 'table' then
  redis.pcall('PUBLISH', KEYS[2], 'R')
end
local told = redis.pcall('PUBLISH', ARGV[2], KEYS[1])
return type(told) == 'table' and 0 or 1
