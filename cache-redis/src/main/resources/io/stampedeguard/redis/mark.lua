-- Removes or expires all entries of a cache at once: raises its generation, and notes it as that of the last removal or expiry.
-- What bears an earlier one as its stamp counts as removed or expired, and a lease as ended.
-- KEYS: generation; its parts: see marks.lua. ARGV: 'removed', 'expired', or empty; the generation, and those of the last removal
-- and expiry, as the caller knows them; channel of changes.
-- 1. What the caller knows is to be stored as well: a failover may have lost it, or a change was refused. A change that is not stored
--    becomes a later one than the stored generation, which processes may know that do not know of the change.
-- 2. Raise the generation: to the server's clock in ms, unless that is behind, so that it rises even if all is lost.
-- 3. Tell those who keep copies, by what is not the name of an entry, that any may have changed. May fail.
-- 4. Return what is stored now, and 1, or 0 if 3 is refused.
-- If that was stored before, nothing changes.
-- Redis 6 may be set to replicate scripts: then it writes nothing after TIME, unless this script asks for the other way first.
if redis.replicate_commands then
  redis.replicate_commands()
end
local time = call('TIME')
local stored = read('GETRANGE', KEYS[1], 0, -1) or ''
local last, removed, expired = parts(stored)
local above, known = last + 1, {tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])}
if known[3] > math.max(removed, expired) then
  expired = math.max(known[3], above)
end
if known[2] > removed then
  removed = math.max(known[2], above)
end
last = math.max(last, known[1], removed, expired)
if ARGV[1] ~= '' then
  last = math.max(last + 1, time[1] * 1000 + math.floor(time[2] / 1000))
end
if ARGV[1] == 'removed' then
  removed = last
elseif ARGV[1] == 'expired' then
  expired = last
end
local marks = string.format('%.0f %.0f %.0f', last, removed, expired)
if marks == stored then
  return {marks, 1}
end
call('SET', KEYS[1], marks)
return {marks, type(redis.pcall('PUBLISH', ARGV[5], KEYS[1])) == 'number' and 1 or 0}
