-- Overwrites some bytes of an entry in place.
-- KEYS: value, lease. ARGV: offset, bytes.
-- 1. If the entry reaches that far, overwrite the bytes; its life time stays as it is.
-- 2. End the lease in any case, so that a load in flight is not stored afterwards.
local length = redis.pcall('STRLEN', KEYS[1])
if type(length) == 'number' and length >= ARGV[1] + #ARGV[2] then
  redis.call('SETRANGE', KEYS[1], ARGV[1], ARGV[2])
end
redis.call('DEL', KEYS[2])
return 1
