-- Lets a lease live on, while it is the token's.
-- KEYS: lease. ARGV: token, lifetime of the lease in ms, from now.
-- 1. Not the token's lease: nothing changes.
-- 2. Set its length and its end anew.
if redis.pcall('GETRANGE', KEYS[1], 0, 15) ~= ARGV[1] then
  return 0
end
redis.call('SET', KEYS[1], ARGV[1] .. ARGV[2], 'PX', ARGV[2])
return 1
