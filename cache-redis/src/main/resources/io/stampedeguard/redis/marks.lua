-- What those scripts have in common that heed a change of all entries of a cache, or of those with a tag; see mark.lua. It comes
-- before each of them.
-- KEYS[3]: generation; missing on a cluster, where another master may have it. KEYS[4]: marks of tags, only if there are tags.

-- Returns what is stored as the generation: a text, or false or nil. By a command without which nothing is published anyway.
local function marks()
  return KEYS[3] and read('GETRANGE', KEYS[3], 0, -1)
end

-- Takes that apart: returns the generation, and those of the last removal, of the last expiry, and, if it is there, of the last change
-- of a tag; zero for none. What another program has stored means nothing, unless it is numbers of at most 14 digits.
local function parts(stored)
  local last, removed, expired, tagged = string.match(stored or '', '^(%d+) (%d+) (%d+) ?(%d*)$')
  if not last or math.max(#last, #removed, #expired, #tagged) > 14 then
    return 0, 0, 0, 0
  end
  removed, expired, tagged = tonumber(removed), tonumber(expired), tonumber(tagged) or 0
  return math.max(tonumber(last), removed, expired, tagged), removed, expired, tagged
end

-- Returns the generation as a text, nil if there is none, the one below which leases have ended, and that of the last change of a tag.
local function generation(stored)
  local last, removed, expired, tagged = parts(stored)
  return last > 0 and string.format('%.0f', last) or nil, math.max(removed, expired), tagged
end

-- Returns the later of two generations, as a text: what is stored, and what the caller knows, which a restart may have lost; nil if
-- there is neither.
local function later(last, known)
  return tonumber(known) and tonumber(known) > tonumber(last or 0) and known or last
end

-- Returns whether the stamp at a position of a text, after an at sign, is below a generation. One without a stamp is from before all.
local function isBelow(begin, text, at)
  return begin > tonumber(string.match(text, '^@(%d+)$', at) or 0)
end

-- Returns whether a tag, of those that are arguments from a position on, was changed after a stamp, though all entries were not. If the
-- marks lack the last one, they were lost: then any may have been changed.
local function isOfChangedTag(stamp, tagged, from)
  if not KEYS[4] or stamp >= tagged then
    return false
  end
  local newest = redis.pcall('ZREVRANGE', KEYS[4], 0, 0, 'WITHSCORES')
  local isChanged = (tonumber(newest[2]) or 0) < tagged
  for at = from, #ARGV do
    for _, kind in ipairs({'R', 'E'}) do
      local mark = not isChanged and redis.pcall('ZSCORE', KEYS[4], kind .. ARGV[at])
      isChanged = isChanged or type(mark) == 'table' or (tonumber(mark or 0) > stamp)
    end
  end
  return isChanged
end

-- Returns whether all entries were changed after a lease was granted, or a tag of those that are arguments from a position on.
local function hasEnded(lease, from)
  local _, begin, tagged = generation(marks())
  local at = string.match(lease, '^0?%d+()', 17) or 17
  return isBelow(begin, lease, at) or isOfChangedTag(tonumber(string.match(lease, '^@(%d+)$', at) or 0), tagged, from)
end

-- Ends a lease of which that is true, and tells those who wait, if a zero after the token says that somebody may, that it is free.
local function ended(lease, publish)
  call('DEL', KEYS[2])
  if string.sub(lease, 17, 17) == '0' and type(redis.pcall(publish, KEYS[2], 'R')) == 'table' then
    redis.pcall('PUBLISH', KEYS[2], 'R')
  end
  return 0
end

