-- Overwrites some bytes of an entry in place.
-- KEYS: value, lease. ARGV: offset, bytes, PUBLISH or SPUBLISH, channel of changes.
-- 1. If the entry reaches that far, overwrite the bytes; its life time stays as it is.
-- 2. End the lease in any case, so that a load in flight is not stored afterwards, or the cool-down.
-- 3. Tell those who wait that it is free.
--    A server that does not know the word is told PUBLISH. May fail.
-- 4. Tell those who keep copies which entry was changed. May fail, and the answer says whether it did not.
local length = redis.pcall('STRLEN', KEYS[1])
if type(length) == 'number' and length >= ARGV[1] + #ARGV[2] then
  redis.call('SETRANGE', KEYS[1], ARGV[1], ARGV[2])
end
redis.call('DEL', KEYS[2])
if type(redis.pcall(ARGV[3], KEYS[2], 'R')) == 'table' then
  redis.pcall('PUBLISH', KEYS[2], 'R')
end
local told = redis.pcall('PUBLISH', ARGV[4], KEYS[1])
return type(told) == 'table' and 0 or 1
