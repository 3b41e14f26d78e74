-- Lets a lease live on, while it is the token's.
-- KEYS: lease. ARGV: token, lifetime of the lease in ms, from now.
-- 1. Not the token's lease: nothing changes.
-- 2. Set its end anew; its length, too, if that is another one: a server that is out of memory refuses to set it.
local held = redis.pcall('GETRANGE', KEYS[1], 0, 31)
if held == ARGV[1] .. ARGV[2] then
  return redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
if type(held) ~= 'string' or string.sub(held, 1, 16) ~= ARGV[1] then
  return 0
end
redis.call('SET', KEYS[1], ARGV[1] .. ARGV[2], 'PX', ARGV[2])
return 1
