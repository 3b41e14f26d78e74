-- Removes an entry.
-- KEYS: value, lease, mark of a change. ARGV: PUBLISH or SPUBLISH, channel of changes.
-- 1. Remove the entry, and with it the lease, so that a load in flight is not stored afterwards, or the cool-down.
-- 2. On a server that has started less than 35 s ago, or does not say when, note that the entry was changed: restore.lua puts no
--    older one back. May fail, if memory is full. LASTSAVE begins with the start, and costs little; INFO is asked only after that.
--    Redis 6 may be set to replicate scripts: then it writes nothing after TIME, unless this script asks for the other way first.
-- 3. Tell those who wait that it is free.
--    A server that does not know the word is told PUBLISH. May fail.
-- 4. Tell those who keep copies which entry was changed. May fail, and the answer says whether it did not.
if redis.replicate_commands then
  redis.replicate_commands()
end
redis.call('DEL', KEYS[1], KEYS[2])
local saved, time = redis.pcall('LASTSAVE'), redis.pcall('TIME')
if type(saved) ~= 'number' or not time[1] or time[1] - saved < 35 then
  local info = redis.pcall('INFO', 'server')
  local uptime = type(info) == 'string' and string.match(info, 'uptime_in_seconds:(%d+)')
  if not uptime or tonumber(uptime) < 35 then
    redis.pcall('SET', KEYS[3], 1, 'PX', 40000)
  end
end
if type(redis.pcall(ARGV[1], KEYS[2], 'R')) == 'table' then
  redis.pcall('PUBLISH', KEYS[2], 'R')
end
local told = redis.pcall('PUBLISH', ARGV[2], KEYS[1])
return type(told) == 'table' and 0 or 1
