-- What those scripts have in common that heed a change of the entries with a tag; see mark.lua. It comes before each of them.

-- Returns whether a tag, of those that are arguments from a position on, was changed after a stamp, by their marks, KEYS[4], which is
-- missing if there are no tags. If the marks lack the last one, they were lost: then any may have been changed.
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

