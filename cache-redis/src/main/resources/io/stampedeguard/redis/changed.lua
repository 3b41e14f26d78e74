-- What those scripts have in common that know of the time of a key's last change. It comes before each of them.
-- If the cache remembers changes, the last of KEYS is the key with that time, {...}:changed, and the last of ARGV is for how many ms.
-- Both are taken away here, with the clock: before the first change of a script, as Redis 6 wants it, see put.lua.
local changed = string.sub(KEYS[#KEYS], -8) == ':changed' and table.remove(KEYS)
local memory = changed and tonumber(table.remove(ARGV))
local nowMillis
if changed then
  if redis.replicate_commands then
    redis.replicate_commands()
  end
  local time = call('TIME')
  nowMillis = time[1] * 1000 + math.floor(time[2] / 1000)
end

-- Returns the time of the last change that is remembered, in ms, 0 for none. What is no number counts as later than any.
local function lastChange()
  local last = read('GET', changed)
  return last and (tonumber(last) or math.huge) or 0
end

-- Leaves the time of a change; never an earlier one, if the clock was set back.
local function remember()
  if changed then
    local last = lastChange()
    call('SET', changed, string.format('%.0f', last < math.huge and math.max(nowMillis, last) or nowMillis), 'PX', memory)
  end
end

