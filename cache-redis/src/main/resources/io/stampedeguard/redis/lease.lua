-- Takes the lease of a key, unless there is an unseen entry, somebody holds it, the key cools down, or is not cacheable.
-- KEYS: value, lease, generation: see marks.lua. ARGV: token, seen token (or empty), lifetime of the lease in ms, 'time' if the
-- clock is to be answered, the server's clock in ms as the caller knows it, by which it has judged what it has seen (or empty), the
-- generation as the caller knows it (or empty).
-- 1. Read all keys at once; but only the head of an entry that the caller may have seen.
-- 2. An entry that begins with another token than the seen one: found. An entry that was seen by a clock that is ahead by two
--    seconds or more may have been taken for too old: early, with the clock.
-- 3. No lease, one that is this token's already, one from before a change of all entries, or something that is not even a string:
--    granted. The lease carries the generation, if there is one, as its stamp; or what the caller knows, if that is later.
-- 4. What stands in place of the lease carries its own length, and lives no longer than that from now on: a clock of the
--    server that was set back would prolong it.
-- 5. The mark of a failed load: failed, for how many ms, after how many failures; once it has cooled down: granted, after how many failures.
-- 6. The mark of a result that is not stored: not cacheable, for how many ms.
-- 7. A foreign lease without end: granted.
-- 8. Otherwise: held, by whom and for how many ms. A zero before the length of a lease says that somebody was told so, and may
--    wait for its end. May fail: those who wait then find out by asking again.
-- Redis 6 may be set to replicate scripts: then it writes nothing after PTTL or TIME, unless this script asks for the other way first.
-- Granted and found carry what is stored as the generation, and the store's clock, by which entries are stamped and judged, if the
-- caller wants it.
local time
local function now()
  if not time and redis.replicate_commands then
    redis.replicate_commands()
  end
  time = time or call('TIME')
  return time
end

local known

local function timed(answer)
  answer[3] = known or ''
  if ARGV[4] == 'time' then
    answer[4], answer[5] = now()[1], now()[2]
  end
  return answer
end

-- A request that was held up makes the caller's clock seem to be behind, never ahead.
local function isEarly()
  now()
  return tonumber(ARGV[5]) - time[1] * 1000 - math.floor(time[2] / 1000) >= 2000
end

local word, entry, lease = 'found', false, false
if ARGV[2] == '' then
  local all = call('MGET', unpack(KEYS))
  entry, lease, known = all[1], all[2], all[3]
else
  known = marks()
  local head = read('GETRANGE', KEYS[1], 0, 15)
  if type(head) == 'string' and #head == 16 and head ~= ARGV[2] then
    entry = call('GET', KEYS[1])
  elseif head == ARGV[2] and ARGV[5] ~= '' and isEarly() then
    ARGV[4], word = 'time', 'early'
    entry = call('GET', KEYS[1])
  else
    lease = read('GET', KEYS[2])
  end
end
if entry and #entry >= 16 then
  return timed({word, entry})
end

local stamp, begin = generation(known)
stamp = later(stamp, ARGV[6])

local function granted(failures, waited)
  local answer = timed({'granted', failures}) -- before the first change: it may be refused
  call('SET', KEYS[2], ARGV[1] .. waited .. ARGV[3] .. (stamp and '@' .. stamp or ''), 'PX', ARGV[3])
  return answer
end

if type(lease) ~= 'string' then
  return granted(0, '')
end
local waited, length, began = string.match(lease, '^(0?)(%d+)@?(%d*)$', 17)
if string.sub(lease, 1, 16) == ARGV[1] or (length and begin > (tonumber(began) or 0)) then
  return granted(0, waited or '')
end

local function remaining(longest)
  if redis.replicate_commands then
    redis.replicate_commands()
  end
  local left = call('PTTL', KEYS[2])
  if left > longest then
    call('PEXPIRE', KEYS[2], longest)
    return longest
  end
  return left
end

local failures, cools, remembered, failure = string.match(lease, '^stampedeguard:failed (%d+) (%d+) (%d+)\n()')
if failures then
  local cooling = remaining(cools + remembered) - remembered
  if cooling > 0 then
    return {'failed', string.sub(lease, failure), cooling, tonumber(failures)}
  end
  return granted(tonumber(failures), '')
end
local passes = string.match(lease, '^stampedeguard:pass (%d+)$')
local left = remaining(tonumber(passes or length or ARGV[3]))
if left < 0 then
  return granted(0, waited or '')
end
if passes then
  return {'pass', left}
end
if waited == '' then
  redis.pcall('SETRANGE', KEYS[2], 16, '0' .. string.sub(lease, 17))
end
return {'held', length and string.sub(lease, 1, 16) or '', left}
