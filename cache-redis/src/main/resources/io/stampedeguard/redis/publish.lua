-- Stores an entry and gives the lease back, while the lease is the token's.
-- KEYS: value, lease, generation, marks of tags if there are tags: see marks.lua; last change: see changed.lua. ARGV: token, entry,
-- lifetime of the entry in ms, PUBLISH or SPUBLISH, the tags; with a last change, as of when the value was read, by the server's clock
-- in ms.
-- 1. Not the token's lease: refused; unless the entry begins with the token: then this was done before, and the answer lost.
-- 2. A lease from before a change of all entries, or of those with one of the tags: refused, and it ends. So it is if the key, or these
--    entries, may have been changed when the value was read, or later: at the time of the last change, or so long ago that it may be
--    forgotten.
-- 3. Store the entry, whatever was there.
-- 4. End the lease.
-- 5. If somebody may wait, which a zero after the token says, tell them: the entry, or its token alone if it has more than
--    8 KiB. A server that does not know the word is told PUBLISH. May fail.
local asOf = changed and tonumber(table.remove(ARGV))

local function isTooOld()
  local _, begin, tagged = generation(marks())
  return asOf <= math.max(begin, lastChange(), nowMillis - memory) or isOfChangedTag(asOf - 1, tagged, 5)
end

local lease = read('GETRANGE', KEYS[2], 0, 63)
if type(lease) ~= 'string' or string.sub(lease, 1, 16) ~= ARGV[1] then
  return read('GETRANGE', KEYS[1], 0, 15) == ARGV[1] and 1 or 0
end
if hasEnded(lease, 5) or (changed and isTooOld()) then
  return ended(lease, ARGV[4])
end
call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
call('DEL', KEYS[2])
if string.sub(lease, 17, 17) == '0' then
  local message = #ARGV[2] <= 8192 and 'E' .. ARGV[2] or 'T' .. ARGV[1]
  if type(redis.pcall(ARGV[4], KEYS[2], message)) == 'table' then
    redis.pcall('PUBLISH', KEYS[2], message)
  end
end
return 1
