-- Stores an entry, whoever holds the lease, within a time.
-- KEYS: value, lease, generation, marks of tags if there are tags: see marks.lua, tags.lua; last change: see changed.lua. ARGV: entry, lifetime
-- of the entry in ms, PUBLISH or SPUBLISH, channel of changes, from when and until when, by the server's clock in ms, position of the
-- stamp, the generation as the caller knows it (or empty); with a fence its token, an offset and bytes if that is of an entry (or twice
-- nothing), its stamp if there are tags, and these.
-- 1. Not within this time: nothing changes, and the server's clock is answered. The caller may have been answered otherwise, and
--    another process may have changed the key since, which nothing here would show.
-- 2. With a fence: the entry begins with its token, and does not have the bytes at the offset, or the fence is in place of the
--    lease: see fence.lua; and not all entries, or those with one of the tags, were changed since. Otherwise nothing
--    changes, and the answer is -1; unless the entry begins with the token of this one: then this was done before, and the answer lost.
-- 3. Store the entry, whatever was there. Its stamp, eight bytes, big-endian, is the generation, or what the caller knows or has
--    written there if that is later.
-- 4. End the lease, so that a load in flight is not stored over it, or the cool-down, or the fence.
-- 5. Announce the change: see change.lua.
local time = call('TIME')
local millis = time[1] * 1000 + math.floor(time[2] / 1000)
if millis < tonumber(ARGV[5]) or millis > tonumber(ARGV[6]) then
  return time
end
local last, removed, expired, tagged = parts(KEYS[3] and read('GETRANGE', KEYS[3], 0, -1))
local begin = math.max(removed, expired)

local function number(bytes)
  local sum = 0
  for _, byte in ipairs({string.byte(bytes, 1, 8)}) do
    sum = sum * 256 + byte
  end
  return sum
end

-- An entry whose format is another one, by the three bytes after its token, has no stamp there.
local function stampOfEntry()
  local isLikeNew = read('GETRANGE', KEYS[1], 16, 18) == string.sub(ARGV[1], 17, 19)
  return isLikeNew and number(read('GETRANGE', KEYS[1], ARGV[7], ARGV[7] + 7)) or 0
end

local function stamped(entry)
  local at, rest = tonumber(ARGV[7]), math.max(last, tonumber(ARGV[8]) or 0)
  if #entry < at + 8 or rest <= number(string.sub(entry, at + 1, at + 8)) then
    return entry
  end
  local stamp = ''
  for _ = 1, 8 do
    stamp = string.char(rest % 256) .. stamp
    rest = math.floor(rest / 256)
  end
  return string.sub(entry, 1, at) .. stamp .. string.sub(entry, at + 9)
end

local function passes()
  if isOfChangedTag(tonumber(ARGV[12]) or 0, tagged, 13) then
    return false
  end
  if ARGV[10] ~= '' then
    return read('GETRANGE', KEYS[1], 0, 15) == ARGV[9]
      and read('GETRANGE', KEYS[1], ARGV[10], ARGV[10] + #ARGV[11] - 1) ~= ARGV[11]
      and stampOfEntry() >= begin
  end
  local lease = read('GET', KEYS[2])
  local text = lease and string.match(lease, '^stampedeguard:failed %d+ 0 %d+\n()')
  return text and string.sub(lease, text, text + 15) == ARGV[9]
    and (tonumber(string.match(lease, '^@(%d+)$', text + 16)) or 0) >= begin
end

if ARGV[9] and not passes() then
  return read('GETRANGE', KEYS[1], 0, 15) == string.sub(ARGV[1], 1, 16) and 1 or -1
end
call('SET', KEYS[1], stamped(ARGV[1]), 'PX', ARGV[2])
call('DEL', KEYS[2])
return announced(ARGV[3], ARGV[4])
