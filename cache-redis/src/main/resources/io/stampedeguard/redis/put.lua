-- Stores an entry, whoever holds the lease, within a time.
-- KEYS: value, lease. ARGV: entry, lifetime of the entry in ms, PUBLISH or SPUBLISH, channel of changes,
-- from when and until when, by the server's clock in ms; with a fence its token, and, if that is of an entry, an offset and bytes.
-- 1. Not within this time: nothing changes, and the server's clock is answered. The caller may have been answered otherwise, and
--    another process may have changed the key since, which nothing here would show.
-- 2. With a fence: the entry begins with its token, and does not have the bytes at the offset, or the fence is in place of the
--    lease: see fence.lua. Otherwise nothing changes, and the answer is -1; unless the entry begins with the token of this one: then
--    this was done before, and the answer lost.
-- 3. Store the entry, whatever was there.
-- 4. End the lease, so that a load in flight is not stored over it, or the cool-down, or the fence.
-- 5. Announce the change: see change.lua.
-- Redis 6 may be set to replicate scripts: then it writes nothing after TIME, unless this script asks for the other way first.
if redis.replicate_commands then
  redis.replicate_commands()
end
local time = call('TIME')
local millis = time[1] * 1000 + math.floor(time[2] / 1000)
if millis < tonumber(ARGV[5]) or millis > tonumber(ARGV[6]) then
  return time
end
local function passes()
  if ARGV[8] ~= '' then
    return read('GETRANGE', KEYS[1], 0, 15) == ARGV[7]
      and read('GETRANGE', KEYS[1], ARGV[8], ARGV[8] + #ARGV[9] - 1) ~= ARGV[9]
  end
  local lease = read('GET', KEYS[2])
  local text = type(lease) == 'string' and string.match(lease, '^stampedeguard:failed %d+ 0 %d+\n()')
  return text and string.sub(lease, text) == ARGV[7]
end

if ARGV[7] and not passes() then
  return read('GETRANGE', KEYS[1], 0, 15) == string.sub(ARGV[1], 1, 16) and 1 or -1
end
call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
call('DEL', KEYS[2])
return announced(ARGV[3], ARGV[4])
