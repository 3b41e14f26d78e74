-- Gives the lease back after a load whose result is not stored, while it is the token's.
-- KEYS: value, lease, generation, marks of tags if there are tags: see held.lua. ARGV: token, for how many ms the key is marked as
-- not cacheable (0: not at all), 'remove' if a stored entry goes, the result as an entry (or empty), PUBLISH or SPUBLISH, the tags.
-- 1. Not the token's lease: nothing changes. One from before a change of all entries, or of those with one of the tags: it ends, and
--    nothing else changes.
-- 2. Put a mark in place of the lease, or end the lease. The mark is longer than any token and carries its own length.
-- 3. Remove the entry, if so wished.
-- 4. Tell those who wait: the result, if it is shown and has no more than 8 KiB; otherwise that the lease is free.
if not isHeld then
  return 0
end
local isPassed = not hasEnded(6)
if isPassed and ARGV[2] ~= '0' then
  call('SET', KEYS[2], 'stampedeguard:pass ' .. ARGV[2], 'PX', ARGV[2])
else
  call('DEL', KEYS[2])
end
if isPassed and ARGV[3] == 'remove' then
  call('DEL', KEYS[1])
end
tell(ARGV[5], KEYS[2], isPassed and #ARGV[4] > 0 and #ARGV[4] <= 8192 and 'U' .. ARGV[4] or 'R')
return isPassed and 1 or 0
