-- What those scripts have in common that know of the time of a key's last change. It comes before each of them.
-- If the cache remembers changes, the last of KEYS is the key with that time, {...}:changed, and the last of ARGV is for how many ms.
-- Both are taken away here; the clock is read before the first change of a script.
-- The last change that is remembered is 0 for none. What is no number counts as later than any.
local changed = string.sub(KEYS[#KEYS], -8) == ':changed' and table.remove(KEYS)
local memory, nowMillis, lastChange
if changed then
  memory = tonumber(table.remove(ARGV))
  local time = call('TIME')
  nowMillis = time[1] * 1000 + math.floor(time[2] / 1000)
  local stored = read('GET', changed)
  local last = tonumber(stored or 0)
  lastChange = last == last and last or math.huge -- 'nan' is not equal to itself
end

