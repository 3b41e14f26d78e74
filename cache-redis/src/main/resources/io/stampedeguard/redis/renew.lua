-- Lets a lease live on, while it is the token's.
-- KEYS: lease. ARGV: token, lifetime of the lease in ms, from now.
-- 1. Not the token's lease: nothing changes.
-- 2. Set its end anew; its length, too, if that is another one: a server that is out of memory refuses to set it.
--    A zero before the length, which says that somebody may wait, and the stamp after it stay. A user who may not call PEXPIRE sets
--    both.
local held = read('GETRANGE', KEYS[1], 0, 63)
if type(held) ~= 'string' or string.sub(held, 1, 16) ~= ARGV[1] then
  return 0
end
local waited = string.sub(held, 17, 17) == '0' and '0' or ''
local renewed = ARGV[1] .. waited .. ARGV[2] .. (string.match(held, '@%d+$', 17) or '')
if held == renewed then
  local answer = redis.pcall('PEXPIRE', KEYS[1], ARGV[2])
  if type(answer) == 'number' then
    return answer
  end
end
call('SET', KEYS[1], renewed, 'PX', ARGV[2])
return 1
