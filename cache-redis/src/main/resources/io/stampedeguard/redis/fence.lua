-- Answers a fence of a key, to which a put can be bound; or the entry, if it is an unseen one.
-- KEYS: value, lease, generation: see marks.lua. ARGV: token of a new fence, seen token (or empty), lifetime of the fence in ms, the
-- generation as the caller knows it (or empty).
-- 1. An entry that begins with another token than the seen one: found.
-- 2. The seen entry is gone, the lease is held, or something in its place keeps others from it: fence, without a token.
-- 3. Otherwise the fence takes the place of the lease, unless it is there already: fence, with its token. It is a mark of failed
--    loads that has cooled down, with their number, and with its token in place of the failure: lease.lua grants the lease over it.
--    So it ends with each grant of the lease, and with each change, which deletes what is in place of the lease, or, if it is
--    one of all entries, raises the generation above the stamp after its token.
-- 4. It lives for the given time from now on, or for longer if what it replaces does.
local head = read('GETRANGE', KEYS[1], 0, 15)
local isEntry = head and #head == 16
if not isEntry and ARGV[2] ~= '' then
  return {'fence', ''}
end
local lease, stored = unpack(call('MGET', unpack(KEYS, 2)))
if isEntry and head ~= ARGV[2] then
  return {'found', call('GET', KEYS[1]), stored or ''}
end
local last, removed, expired = parts(stored)
local stamp, token, failures, life = math.max(last, tonumber(ARGV[4]) or 0), ARGV[1], '0', tonumber(ARGV[3])
if lease then
  local number, cools, remembered, text = string.match(lease, '^stampedeguard:failed (%d+) (%d+) (%d+)\n()')
  local left = call('PTTL', KEYS[2])
  if number and (cools == '0' or left <= tonumber(remembered)) then
    local its = tonumber(string.match(lease, '^@(%d+)$', text + 16)) or 0
    if cools == '0' and its >= math.max(removed, expired) then
      token, stamp = string.sub(lease, text, text + 15), its
    end
    failures, life = number, math.max(life, left)
  elseif left >= 0 then
    return {'fence', ''}
  end
end
life = string.format('%.0f', life)
call('SET', KEYS[2], 'stampedeguard:failed ' .. failures .. ' 0 ' .. life .. '\n' .. token
  .. (stamp > 0 and string.format('@%.0f', stamp) or ''), 'PX', life)
return {'fence', token}
