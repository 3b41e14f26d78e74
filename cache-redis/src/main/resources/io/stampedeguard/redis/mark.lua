-- Removes or expires all entries of a cache at once, or those with a tag: raises its generation, and notes it as that of the last
-- removal or expiry, or of the tag. What bears an earlier one as its stamp counts as removed or expired, and a lease as ended.
-- KEYS: generation, with its parts: see marks.lua; marks of tags, unless neither the caller knows of any, nor marks one. ARGV: 'removed', 'expired', empty for what the caller knows alone, or
-- 'asked' for nothing; the generation, and those of the last removal, of the last expiry, and of the last change of a tag, as the caller
-- knows them; channel of changes; the generation up to which the caller knows all marks of tags; number of tags; the tags; then, in
-- pairs, marks of tags and their generations that may be missing.
-- 1. What the caller knows is to be stored as well: a failover may have lost it, or a change was refused. A change that is not stored
--    becomes a later one than the stored generation, which processes may know that do not know of the change.
-- 2. The marks of tags are a sorted set of 'R' or 'E', for a removal or an expiry, and the tag, by their generations. If it lacks the
--    last one, it was lost, or evicted: then everything up to that one counts as removed.
-- 3. Raise the generation: to the server's clock in ms, unless that is behind, so that it rises even if all is lost.
-- 4. Note it. Of more than 10,000 marks of tags the oldest is dropped, and everything up to its generation counts as removed.
-- 5. Tell those who keep copies, by what is not the name of an entry, that any may have changed. May fail.
-- 6. Return what is stored now; 1, or 0 if 5 is refused; the marks of tags that the caller does not know, in pairs; and 1 if marks
--    that it knows are missing, although it has only asked.
-- If that was stored before, nothing changes. Who asks changes nothing else than to note, if that is permitted, that marks are lost.
-- Redis 6 may be set to replicate scripts: then it writes nothing after TIME, unless this script asks for the other way first.
if redis.replicate_commands then
  redis.replicate_commands()
end
local time = call('TIME')
local stored = read('GETRANGE', KEYS[1], 0, -1) or ''
local last, removed, expired, tagged = parts(stored)
local above, change, number, lacks, isLost = last + 1, ARGV[1], tonumber(ARGV[8]), 0, false
local known = {tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])}

local function text(generation)
  return string.format('%.0f', generation)
end

if change ~= 'asked' then
  if known[3] > math.max(removed, expired) then
    expired = math.max(known[3], above)
  end
  if known[2] > removed then
    removed = math.max(known[2], above)
  end
  if known[4] > tagged then
    tagged = math.max(known[4], above)
  end
  last = math.max(last, known[1], removed, expired, tagged)
end
for at = 9 + number, #ARGV, 2 do
  local generation = tonumber(ARGV[at + 1])
  if generation > removed and generation > (tonumber(redis.pcall('ZSCORE', KEYS[2], ARGV[at])) or 0) then
    if change == 'asked' then
      lacks = 1
    else
      tagged = math.max(tagged, generation, above)
      last = math.max(last, tagged)
      redis.pcall('ZADD', KEYS[2], text(tagged), ARGV[at])
    end
  end
end
if KEYS[2] and tagged > removed then
  local newest = redis.pcall('ZREVRANGE', KEYS[2], 0, 0, 'WITHSCORES')
  if (tonumber(newest[2]) or 0) < tagged then
    removed, isLost = tagged, true
  end
end
if change == 'removed' or change == 'expired' then
  last = math.max(last + 1, time[1] * 1000 + math.floor(time[2] / 1000))
end
if number > 0 then
  tagged = last
  if not read('ZCARD', KEYS[2]) then
    call('DEL', KEYS[2])
  end
  for at = 9, 8 + number do
    call('ZADD', KEYS[2], text(last), (change == 'removed' and 'R' or 'E') .. ARGV[at])
  end
  while call('ZCARD', KEYS[2]) > 10000 do
    local oldest = call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')
    call('ZREM', KEYS[2], oldest[1])
    removed = math.max(removed, tonumber(oldest[2]))
  end
elseif change == 'removed' then
  removed = last
  if KEYS[2] and tagged > 0 then
    call('DEL', KEYS[2])
  end
elseif change == 'expired' then
  expired = last
end
local missed, since = {}, math.max(removed, tonumber(ARGV[7]))
if KEYS[2] and tagged > since then
  missed = call('ZRANGEBYSCORE', KEYS[2], '(' .. text(since), '+inf', 'WITHSCORES')
end
local marks = text(last) .. ' ' .. text(removed) .. ' ' .. text(expired) .. (tagged > 0 and ' ' .. text(tagged) or '')
if change == 'asked' and isLost then
  redis.pcall('SET', KEYS[1], marks)
end
if marks == stored or change == 'asked' then
  return {marks, 1, missed, lacks}
end
call('SET', KEYS[1], marks)
return {marks, type(redis.pcall('PUBLISH', ARGV[6], KEYS[1])) == 'number' and 1 or 0, missed, lacks}
