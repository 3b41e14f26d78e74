-- What those scripts have in common that heed a change of all entries of a cache; see mark.lua. It comes before each of them.
-- KEYS[3] is the generation; missing on a cluster, where another master may have it.

-- Takes apart what is stored as the generation: returns it, and those of the last removal, of the last expiry, and of the last change
-- of a tag; zero for none. What another program has stored means nothing, unless it is numbers of at most 14 digits.
local function parts(stored)
  local last, removed, expired, tagged
  if stored then
    last, removed, expired, tagged = string.match(stored, '^(%d+) (%d+) (%d+) ?(%d*)$')
  end
  if not last or math.max(#last, #removed, #expired, #tagged) > 14 then
    return 0, 0, 0, 0
  end
  removed, expired, tagged = tonumber(removed), tonumber(expired), tonumber(tagged) or 0
  return math.max(tonumber(last), removed, expired, tagged), removed, expired, tagged
end

