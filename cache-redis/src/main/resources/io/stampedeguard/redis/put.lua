-- Stores an entry, whoever holds the lease.
-- KEYS: value, lease. ARGV: entry, life time of the entry in ms, PUBLISH or SPUBLISH, channel of changes.
-- 1. Store the entry, whatever was there.
-- 2. End the lease, so that a load in flight is not stored over it, or the cool-down.
-- 3. Tell those who wait that it is free.
--    A server that does not know the word is told PUBLISH. May fail.
-- 4. Tell those who keep copies which entry was changed. May fail, and the answer says whether it did not.
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
redis.call('DEL', KEYS[2])
if type(redis.pcall(ARGV[3], KEYS[2], 'R')) == 'table' then
  redis.pcall('PUBLISH', KEYS[2], 'R')
end
local told = redis.pcall('PUBLISH', ARGV[4], KEYS[1])
return type(told) == 'table' and 0 or 1
