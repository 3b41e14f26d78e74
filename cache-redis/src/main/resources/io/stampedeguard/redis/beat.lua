-- Announces a process that uses a cache, and counts those that live.
-- KEYS: members. ARGV: process, how long it lives unless it is announced again, in ms.
-- 1. Those whose time is over, by the server's clock, go. Nobody lives longer than the given time from now on: a clock of the server
--    that was set back would prolong it.
-- 2. Add the process, or set its end anew. The set lives as long as the last of them.
-- 3. Answer how many live, and how many of them come before this one by their names: while they live, ranks stay.
local time = call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
local longest = string.format('%.0f', now + ARGV[2])
for _, member in ipairs(call('ZRANGE', KEYS[1], '(' .. longest, '+inf', 'BYSCORE')) do
  call('ZADD', KEYS[1], longest, member)
end
call('ZADD', KEYS[1], longest, ARGV[1])
call('PEXPIRE', KEYS[1], ARGV[2])
local members = call('ZRANGE', KEYS[1], 0, -1)
local before = 0
for _, member in ipairs(members) do
  if member < ARGV[1] then
    before = before + 1
  end
end
return {#members, before}
