-- Lets a lease live on, while it is the token's.
-- KEYS: lease. ARGV: token, life time of the lease in ms, from now.
-- 1. Not the token's lease: nothing changes.
-- 2. Set its end anew.
if redis.pcall('GET', KEYS[1]) ~= ARGV[1] then
  return 0
end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
