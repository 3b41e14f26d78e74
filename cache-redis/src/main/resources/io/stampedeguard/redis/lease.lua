-- Takes the lease of a key, unless there is an unseen entry, somebody holds it, the key cools down, or is not cacheable.
-- KEYS: value, lease, generation: see marks.lua. ARGV: token, seen token (or empty), lifetime of the lease in ms, 'time' if the
-- clock is to be answered, the server's clock in ms as the caller knows it, by which it has judged what it has seen (or empty), the
-- generation as the caller knows it (or empty).
-- 1. Read all keys at once; but only the head of an entry that the caller may have seen.
-- 2. An entry that begins with another token than the seen one: found. An entry that was seen by a clock that is ahead by two
--    seconds or more may have been taken for too old: early, with the clock.
-- 3. No lease, one that is this token's already, one from before a change of all entries, or something that is not even a string:
--    granted.
-- 4. What stands in place of the lease carries its own length, and lives no longer than that from now on: a clock of the
--    server that was set back would prolong it.
-- 5. The mark of a failed load: failed, for how many ms, after how many failures; once it has cooled down: granted, after how many failures.
-- 6. A foreign lease without end: granted.
-- 7. The mark of a result that is not stored: not cacheable, for how many ms.
-- 8. Otherwise: held, by whom and for how many ms. A zero before the length of a lease says that somebody was told so, and may
--    wait for its end. May fail: those who wait then find out by asking again.
-- 9. A lease that is granted carries the generation, if there is one, as its stamp; or what the caller knows, if that is later.
-- Granted and found carry what is stored as the generation, and the store's clock, by which entries are stamped and judged, if the
-- caller wants it.

local known, time

local function timed(word, what)
  if ARGV[4] ~= 'time' then
    return {word, what, known or ''}
  end
  time = time or call('TIME')
  return {word, what, known or '', time[1], time[2]}
end

local entry, lease
if ARGV[2] == '' then
  entry, lease, known = unpack(call('MGET', unpack(KEYS)))
else
  lease, known = unpack(call('MGET', unpack(KEYS, 2)))
  local head = read('GETRANGE', KEYS[1], 0, 15)
  if head == ARGV[2] then
    -- A request that was held up makes the caller's clock seem to be behind, never ahead.
    time = ARGV[5] ~= '' and call('TIME')
    if time and ARGV[5] - time[1] * 1000 - math.floor(time[2] / 1000) >= 2000 then
      return {'early', call('GET', KEYS[1]), known or '', time[1], time[2]}
    end
  elseif type(head) == 'string' and #head == 16 then
    entry = call('GET', KEYS[1])
  end
end
if entry and #entry >= 16 then
  return timed('found', entry)
end

local last, removed, expired = parts(known)
local failures, waited, length, began = 0
if lease then
  waited, length, began = string.match(lease, '^(0?)(%d+)@?(%d*)$', 17)
end
if lease and string.sub(lease, 1, 16) ~= ARGV[1] and not (length and (tonumber(began) or 0) < math.max(removed, expired)) then
  local number, cools, remembered, failure = string.match(lease, '^stampedeguard:failed (%d+) (%d+) (%d+)\n()')
  local passes = string.match(lease, '^stampedeguard:pass (%d+)$')
  local longest = number and cools + remembered or tonumber(passes or length or ARGV[3])
  local left = call('PTTL', KEYS[2])
  if left > longest then
    call('PEXPIRE', KEYS[2], longest)
    left = longest
  end
  if number then
    failures = tonumber(number)
    if left > tonumber(remembered) then
      return {'failed', string.sub(lease, failure), left - remembered, failures}
    end
  elseif left >= 0 then
    if passes then
      return {'pass', left}
    end
    if waited == '' then
      redis.pcall('SETRANGE', KEYS[2], 16, '0' .. string.sub(lease, 17))
    end
    return {'held', length and string.sub(lease, 1, 16) or '', left}
  end
end

local answer = timed('granted', failures) -- before the first change: it may be refused
local stamp = math.max(last, tonumber(ARGV[6]) or 0)
call('SET', KEYS[2], ARGV[1] .. (waited or '') .. ARGV[3] .. (stamp > 0 and string.format('@%.0f', stamp) or ''), 'PX', ARGV[3])
return answer
