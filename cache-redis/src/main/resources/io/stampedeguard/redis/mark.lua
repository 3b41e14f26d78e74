-- Removes or expires all entries of a cache at once, or those with a tag, by raising its generation; stores what only the caller knows
-- of it; and tells the caller what it does not know. What bears an earlier generation than a removal or expiry as its stamp counts as
-- removed or expired, and a lease as ended.
-- KEYS: generation: see marks.lua; marks of tags, unless the caller neither knows of any nor marks one: a sorted set of 'R' or 'E', for
-- a removal or an expiry, and the tag, by their generations.
-- ARGV: 'removed', 'expired', empty for what the caller knows alone, or 'asked' for nothing; the generation, and those of the last
-- removal, of the last expiry, and of the last change of a tag, as the caller knows them; channel of changes; the generation up to
-- which the caller knows all marks of tags; number of tags; the tags; then, in pairs, marks of tags and their generations that may be
-- missing.
-- 1. Take over what only the caller knows: a failover may have lost it, or a change was refused. It becomes a later change than the
--    stored generation, which processes may know that do not know of the change. So do marks of tags that are missing.
-- 2. If the marks lack the last one, they were lost, or evicted: everything up to that one counts as removed.
-- 3. Raise the generation: to the server's clock in ms, unless that is behind, so that it rises even if all is lost.
-- 4. Note the change. Of more than 10,000 marks of tags the oldest is dropped, and everything up to its generation counts as removed.
-- 5. Store the generation, and tell those who keep copies, by what is not the name of an entry, that any may have changed. May fail.
-- 6. Return what is stored now; 1, or 0 if 5 is refused; the marks of tags that the caller does not know, in pairs; and 1 if marks
--    that it knows are missing, although it has only asked.
-- If that was stored before, nothing changes. Who asks changes nothing else than to note, if that is permitted, that marks are lost.
local time = call('TIME')
local stored = read('GETRANGE', KEYS[1], 0, -1) or ''
local last, removed, expired, tagged = parts(stored)
local change, above, firstMark = ARGV[1], last + 1, 9 + ARGV[8]
local isQuestion, lacks, isLost = change == 'asked', 0, false

local function text(generation)
  return string.format('%.0f', generation)
end

local function newest()
  local mark = redis.pcall('ZREVRANGE', KEYS[2], 0, 0, 'WITHSCORES')
  return tonumber(mark[2]) or 0
end

local function taken(known, before)
  return known > before and math.max(known, above) or before
end

if not isQuestion then
  if tonumber(ARGV[4]) > removed then
    expired = taken(tonumber(ARGV[4]), expired)
  end
  removed = taken(tonumber(ARGV[3]), removed)
  tagged = taken(tonumber(ARGV[5]), tagged)
  last = math.max(last, tonumber(ARGV[2]), removed, expired, tagged)
end
for at = firstMark, #ARGV, 2 do
  local mark, generation = ARGV[at], tonumber(ARGV[at + 1])
  if generation > removed and generation > (tonumber(redis.pcall('ZSCORE', KEYS[2], mark)) or 0) then
    if isQuestion then
      lacks = 1
    else
      tagged = math.max(tagged, generation, above)
      last = math.max(last, tagged)
      redis.pcall('ZADD', KEYS[2], text(tagged), mark)
    end
  end
end

if KEYS[2] and tagged > removed and newest() < tagged then
  removed, isLost = tagged, true
end

if change == 'removed' or change == 'expired' then
  last = math.max(last + 1, time[1] * 1000 + math.floor(time[2] / 1000))
end

if firstMark > 9 then
  tagged = last
  if not read('ZCARD', KEYS[2]) then
    call('DEL', KEYS[2])
  end
  for at = 9, firstMark - 1 do
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

local marks = text(last) .. ' ' .. text(removed) .. ' ' .. text(expired) .. (tagged > 0 and ' ' .. text(tagged) or '')
local missed, since, isTold = {}, math.max(removed, tonumber(ARGV[7])), 1
if KEYS[2] and tagged > since then
  missed = call('ZRANGEBYSCORE', KEYS[2], '(' .. text(since), '+inf', 'WITHSCORES')
end
if isQuestion and isLost then
  redis.pcall('SET', KEYS[1], marks)
elseif not isQuestion and marks ~= stored then
  call('SET', KEYS[1], marks)
  isTold = type(redis.pcall('PUBLISH', ARGV[6], KEYS[1])) == 'number' and 1 or 0
end
return {marks, isTold, missed, lacks}
