-- What the scripts have in common that change a key, whoever holds its lease. It comes before each of them, and after changed.lua.

-- Announces that an entry was changed, and its lease ended.
-- KEYS: value, lease. publish: PUBLISH or SPUBLISH. changes: channel of changes.
-- 1. Leave the time of the change, if changes are remembered; never an earlier one, if the clock was set back.
-- 2. Tell those who wait that the lease is free.
-- 3. Tell those who keep copies which entry was changed. May fail.
-- 4. Return 1, or 0 if that is refused.
local function announced(publish, changes)
  if changed then
    local last = lastChange < math.huge and math.max(nowMillis, lastChange) or nowMillis
    call('SET', changed, string.format('%.0f', last), 'PX', memory)
  end
  tell(publish, KEYS[2], 'R')
  return type(redis.pcall('PUBLISH', changes, KEYS[1])) == 'number' and 1 or 0
end

