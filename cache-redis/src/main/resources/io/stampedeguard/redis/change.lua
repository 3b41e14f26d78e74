-- What the scripts have in common that change a key, whoever holds its lease. It comes before each of them.
-- Redis 6 may be set to replicate scripts: then it writes nothing after TIME, unless a script asks for the other way first.
if redis.replicate_commands then
  redis.replicate_commands()
end

-- The server's clock, as TIME answers it, asked once.
local clock
local function now()
  clock = clock or redis.pcall('TIME')
  return clock
end

-- Whether the server has started less than 35 s ago, or does not say when. LASTSAVE begins with the start, and costs little; INFO
-- is asked only after that.
local function isYoung()
  local saved, time = redis.pcall('LASTSAVE'), now()
  if type(saved) == 'number' and time[1] and time[1] - saved >= 35 then
    return false
  end
  local info = redis.pcall('INFO', 'server')
  local uptime = type(info) == 'string' and string.match(info, 'uptime_in_seconds:(%d+)')
  return not uptime or tonumber(uptime) < 35
end

-- Announces that an entry was changed, and its lease ended.
-- KEYS: value, lease, mark of a change. publish: PUBLISH or SPUBLISH. changes: channel of changes. kind: 'expired', if a stale entry
-- may remain, or 'replaced'.
-- 1. On a young server, note the change: restore.lua puts no older entry back. May fail, if memory is full.
-- 2. Tell those who wait that the lease is free.
--    A server that does not know the word is told PUBLISH. May fail.
-- 3. Tell those who keep copies which entry was changed. May fail.
-- 4. Return 2 if somebody keeps copies: they will be told after the answer. Otherwise 1, or 0 if PUBLISH is refused.
local function announced(publish, changes, kind)
  if isYoung() then
    local mark = {'SET', KEYS[3], kind, 'PX', 40000, kind == 'expired' and 'NX' or nil}
    redis.pcall(unpack(mark))
  end
  if type(redis.pcall(publish, KEYS[2], 'R')) == 'table' then
    redis.pcall('PUBLISH', KEYS[2], 'R')
  end
  local told = redis.pcall('PUBLISH', changes, KEYS[1])
  if type(told) == 'table' then
    return 0
  end
  return told > 0 and 2 or 1
end

