-- Gives the lease back with nothing stored, while it is the token's.
-- KEYS: lease. ARGV: token, PUBLISH or SPUBLISH, or empty.
-- 1. Not the token's lease: nothing changes.
-- 2. End the lease.
-- 3. Tell those who wait that it is free, unless there is no word for it.
local lease = read('GET', KEYS[1]) -- a user who may not publish for lack of MGET leaves nobody behind who waits
if not lease or string.sub(lease, 1, 16) ~= ARGV[1] then
  return 0
end
call('DEL', KEYS[1])
if ARGV[2] ~= '' then
  tell(ARGV[2], KEYS[1], 'R')
end
return 1
