-- What those scripts have in common that end a lease with a result. It comes before each of them.
-- KEYS: value, lease, generation, marks of tags if there are tags: see marks.lua, tags.lua. ARGV: token.
local lease, stored = unpack(call('MGET', unpack(KEYS, 2)))
lease = lease or ''
local isHeld = string.sub(lease, 1, 16) == ARGV[1]

-- Returns whether all entries, or those with a tag of the arguments from a position on, were changed after the lease was granted; or, if
-- it is given, at a time or later.
local function hasEnded(from, asOf)
  if not stored then
    return false
  end
  local stamp = tonumber(string.match(lease, '^0?%d+@(%d+)$', 17)) or 0
  if asOf then
    stamp = math.min(stamp, asOf - 1)
  end
  local _, removed, expired, tagged = parts(stored)
  return stamp < math.max(removed, expired) or isOfChangedTag(stamp, tagged, from)
end

