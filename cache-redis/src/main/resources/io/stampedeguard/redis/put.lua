-- Stores an entry, whoever holds the lease, within a time.
-- KEYS: value, lease. ARGV: entry, lifetime of the entry in ms, PUBLISH or SPUBLISH, channel of changes,
-- from when and until when, by the server's clock in ms.
-- 1. Not within this time: nothing changes, and the server's clock is answered. The caller may have been answered otherwise, and
--    another process may have changed the key since, which nothing here would show.
-- 2. Store the entry, whatever was there.
-- 3. End the lease, so that a load in flight is not stored over it, or the cool-down.
-- 4. Announce the change: see change.lua.
-- Redis 6 may be set to replicate scripts: then it writes nothing after TIME, unless this script asks for the other way first.
if redis.replicate_commands then
  redis.replicate_commands()
end
local time = call('TIME')
local millis = time[1] * 1000 + math.floor(time[2] / 1000)
if millis < tonumber(ARGV[5]) or millis > tonumber(ARGV[6]) then
  return time
end
call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
call('DEL', KEYS[2])
return announced(ARGV[3], ARGV[4])
