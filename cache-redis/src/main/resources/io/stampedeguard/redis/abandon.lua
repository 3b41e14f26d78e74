-- Gives the lease back with nothing stored, while it is the token's.
-- KEYS: lease. ARGV: token.
-- 1. Not the token's lease: nothing changes.
-- 2. End the lease.
if redis.pcall('GET', KEYS[1]) ~= ARGV[1] then
  return 0
end
redis.call('DEL', KEYS[1])
return 1
