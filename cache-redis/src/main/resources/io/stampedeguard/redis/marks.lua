-- What those scripts have in common that heed a change of all entries of a cache; see mark.lua. It comes before each of them.
-- KEYS[3]: generation; missing on a cluster, where another master may have it.

-- Returns what is stored as the generation: a text, or false or nil. By a command without which nothing is published anyway.
local function marks()
  return KEYS[3] and read('GETRANGE', KEYS[3], 0, -1)
end

-- Takes that apart: returns the generation, and those of the last removal and of the last expiry; zero for none. What another
-- program has stored means nothing, unless it is three numbers of at most 14 digits, of which the first is at least the others.
local function parts(stored)
  local last, removed, expired = string.match(stored or '', '^(%d+) (%d+) (%d+)$')
  if not last or math.max(#last, #removed, #expired) > 14 then
    return 0, 0, 0
  end
  removed, expired = tonumber(removed), tonumber(expired)
  return math.max(tonumber(last), removed, expired), removed, expired
end

-- Returns the generation as a text, nil if there is none, and the one below which leases have ended.
local function generation(stored)
  local last, removed, expired = parts(stored)
  return last > 0 and string.format('%.0f', last) or nil, math.max(removed, expired)
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

-- Returns whether all entries were changed after a lease was granted.
local function hasEnded(lease)
  local _, begin = generation(marks())
  return isBelow(begin, lease, string.match(lease, '^0?%d+()', 17) or 17)
end

-- Ends a lease of which that is true, and tells those who wait, if a zero after the token says that somebody may, that it is free.
local function ended(lease, publish)
  call('DEL', KEYS[2])
  if string.sub(lease, 17, 17) == '0' and type(redis.pcall(publish, KEYS[2], 'R')) == 'table' then
    redis.pcall('PUBLISH', KEYS[2], 'R')
  end
  return 0
end

