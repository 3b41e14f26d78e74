-- Stores an entry, whoever holds the lease, within a time.
-- KEYS: value, lease, generation: see marks.lua. ARGV: entry, lifetime of the entry in ms, PUBLISH or SPUBLISH, channel of changes,
-- from when and until when, by the server's clock in ms, position of the stamp; with a fence its token, and, if that is of an
-- entry, an offset and bytes.
-- 1. Not within this time: nothing changes, and the server's clock is answered. The caller may have been answered otherwise, and
--    another process may have changed the key since, which nothing here would show.
-- 2. With a fence: the entry begins with its token, and does not have the bytes at the offset, or the fence is in place of the
--    lease: see fence.lua; and not all entries were changed since. Otherwise nothing changes, and the answer is -1; unless the
--    entry begins with the token of this one: then this was done before, and the answer lost.
-- 3. Store the entry, whatever was there. Its stamp is the generation, if there is one: eight bytes, big-endian.
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
local last, begin = generation(marks())

local function stampOfEntry()
  local stamp = 0
  for _, byte in ipairs({string.byte(read('GETRANGE', KEYS[1], ARGV[7], ARGV[7] + 7), 1, 8)}) do
    stamp = stamp * 256 + byte
  end
  return stamp
end

local function passes()
  if ARGV[9] ~= '' then
    return read('GETRANGE', KEYS[1], 0, 15) == ARGV[8]
      and read('GETRANGE', KEYS[1], ARGV[9], ARGV[9] + #ARGV[10] - 1) ~= ARGV[10]
      and stampOfEntry() >= begin
  end
  local lease = read('GET', KEYS[2])
  local text = type(lease) == 'string' and string.match(lease, '^stampedeguard:failed %d+ 0 %d+\n()')
  return text and string.sub(lease, text, text + 15) == ARGV[8] and not isBelow(begin, lease, text + 16)
end

if ARGV[8] and not passes() then
  return read('GETRANGE', KEYS[1], 0, 15) == string.sub(ARGV[1], 1, 16) and 1 or -1
end
call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
local rest = tonumber(last or 0)
if rest > 0 and #ARGV[1] >= ARGV[7] + 8 then
  local stamp = ''
  for _ = 1, 8 do
    stamp = string.char(rest % 256) .. stamp
    rest = math.floor(rest / 256)
  end
  call('SETRANGE', KEYS[1], ARGV[7], stamp)
end
call('DEL', KEYS[2])
return announced(ARGV[3], ARGV[4])
