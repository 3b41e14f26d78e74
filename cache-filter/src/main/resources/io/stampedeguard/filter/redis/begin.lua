-- Begins a generation beside the one in force: from now on each add goes to both.
-- KEYS: state, bitmap a, bitmap b. ARGV: its id, its blocks, its bits per key, for how many keys, their rate, lifetime
-- in ms, its rank: the highest that rank.lua told of any partition.
-- 1. The server does not tell its incarnation: -1, and why. It is a replica: an error.
-- 2. It is being built or in force already, as this was sent twice: 1 and when it was begun, and nothing is changed. The
--    second copy may come late, when adds are in its bitmap. Should that be gone, it must stay so: they are gone with it.
-- 3. Its rank is not higher than that of the one in force and that of the one being built: 0. So a copy that comes after
--    other rebuilds changes nothing, and of two that begin at once, the same one is superseded in all partitions. A rank
--    that is not there, as of an earlier version of the library, is the lowest.
-- 4. Note it, with the incarnation and the time. This comes first, so that a server that is full refuses before anything
--    has changed.
-- 5. Its bitmap: empty, in full length, with an end. It bears the letter that is not in force.
-- 6. With nothing in force, what is left of the other bitmap goes, and the state ends as the new bitmap does.
-- Answers 1 and the time, by which fill.lua and commit.lua know it. If a copy comes when even the state was lost, it begins
-- another one, with another time, which nobody fills.
local info = redis.pcall('INFO', 'replication')
local run = type(info) == 'string' and string.match(info, 'master_replid:(%x+)')
if not run then
  return {-1, type(info) == 'table' and info.err or 'INFO replication has no master_replid'}
end
if not string.find(info, 'role:master', 1, true) then
  return redis.error_reply('READONLY a filter is built on a master')
end
local generation, letter, inForce, building, before, begun =
  unpack(call('HMGET', KEYS[1], 'gen', 'in', 'rank', 'next', 'nextRank', 'nextBegun'))
if building == ARGV[1] then
  return {1, begun}
end
if generation == ARGV[1] then
  return {1, ''}
end
local bitmap, other = KEYS[2], KEYS[3]
if letter == 'a' then
  bitmap, other = other, bitmap
end
local highest = tonumber(inForce) or 0
if building and call('EXISTS', bitmap) == 1 then
  highest = math.max(highest, tonumber(before) or 0)
end
if tonumber(ARGV[7]) <= highest then
  return {0}
end
local time = call('TIME')
begun = string.format('%.0f', time[1] * 1000000 + time[2])
call('HSET', KEYS[1], 'next', ARGV[1], 'nextBpp', ARGV[2], 'nextK', ARGV[3],
  'nextKeys', ARGV[4], 'nextRate', ARGV[5], 'nextRun', run, 'nextRank', ARGV[7], 'nextBegun', begun)
call('DEL', bitmap)
call('SETRANGE', bitmap, ARGV[2] * 64 - 1, '\0')
call('PEXPIRE', bitmap, ARGV[6])
if not generation then
  call('DEL', other)
  call('PEXPIRE', KEYS[1], ARGV[6])
end
return {1, begun}
