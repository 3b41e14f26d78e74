-- Stores an entry and gives the lease back, while the lease is the token's.
-- KEYS: value, lease, generation, marks of tags if there are tags: see held.lua; last change: see changed.lua. ARGV: token, entry,
-- lifetime of the entry in ms, PUBLISH or SPUBLISH, the tags; with a last change, as of when the value was read, by the server's clock
-- in ms.
-- 1. Not the token's lease: refused; unless the entry begins with the token: then this was done before, and the answer lost.
-- 2. A lease from before a change of all entries, or of those with one of the tags: refused, and it ends. So it is if the key, or these
--    entries, may have been changed when the value was read, or later: at the time of the last change, or so long ago that it may be
--    forgotten.
-- 3. Store the entry, whatever was there.
-- 4. End the lease.
-- 5. If somebody may wait, which a zero after the token says, tell them: the entry, or its token alone if it has more than 8 KiB; that
--    the lease is free, if refused.
if not isHeld then
  return read('GETRANGE', KEYS[1], 0, 15) == ARGV[1] and 1 or 0
end
local asOf = changed and tonumber(table.remove(ARGV))
local isStored = not hasEnded(5, asOf) and not (changed and asOf <= math.max(lastChange, nowMillis - memory))
if isStored then
  call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
end
call('DEL', KEYS[2])
if string.sub(lease, 17, 17) == '0' then
  tell(ARGV[4], KEYS[2], not isStored and 'R' or #ARGV[2] <= 8192 and 'E' .. ARGV[2] or 'T' .. ARGV[1])
end
return isStored and 1 or 0
