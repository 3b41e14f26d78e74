-- Gives the lease back with nothing stored, while it is the token's.
-- KEYS: lease. ARGV: token, PUBLISH or SPUBLISH, or empty.
-- 1. Not the token's lease: nothing changes.
-- 2. End the lease.
-- 3. Tell those who wait that it is free, if there is a command to do so. May fail.
if redis.pcall('GET', KEYS[1]) ~= ARGV[1] then
  return 0
end
redis.call('DEL', KEYS[1])
if ARGV[2] ~= '' then
  redis.pcall(ARGV[2], KEYS[1], 'R')
end
return 1
