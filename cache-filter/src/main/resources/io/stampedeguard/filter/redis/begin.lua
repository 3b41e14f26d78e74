-- Begins a generation beside the one in force: from now on each add goes to both.
-- KEYS: state, bitmap a, bitmap b. ARGV: its id, its blocks, its bits per key, for how many keys, their rate, lifetime
-- in ms, its rank (empty for the first partition, which gives it).
-- 1. The server does not tell its incarnation: -1, and why. It is a replica: an error.
-- 2. It is being built or in force already, as this was sent twice: 1 and its rank, and nothing is changed. The second
--    copy may come late, when adds are in its bitmap. Should that be gone, it must stay so: they are gone with it.
-- 3. The rank is the time, and higher than that of the one being built. One that has a rank is refused by one that has
--    a higher one: 0. So of two that begin at once, the same one is superseded in all partitions.
-- 4. Note it, with the incarnation. This comes first, so that a server that is full refuses before anything has changed.
-- 5. Its bitmap: empty, in full length, with an end. It bears the letter that is not in force.
-- 6. With nothing in force, what is left of the other bitmap goes, and the state ends as the new bitmap does.
-- Answers 1 and the rank.
-- Redis 6 may be set to replicate scripts: then it writes nothing after INFO, unless this script asks for the other way first.
if redis.replicate_commands then
  redis.replicate_commands()
end
local info = redis.pcall('INFO', 'replication')
local run = type(info) == 'string' and string.match(info, 'master_replid:(%x+)')
if not run then
  return {-1, type(info) == 'table' and info.err or 'INFO replication has no master_replid'}
end
if not string.find(info, 'role:master', 1, true) then
  return redis.error_reply('READONLY a filter is built on a master')
end
local generation, letter, building, before =
  unpack(call('HMGET', KEYS[1], 'gen', 'in', 'next', 'nextRank'))
if building == ARGV[1] then
  return {1, before}
end
if generation == ARGV[1] then
  return {1, ARGV[7]}
end
local bitmap, other = KEYS[2], KEYS[3]
if letter == 'a' then
  bitmap, other = other, bitmap
end
local highest = building and call('EXISTS', bitmap) == 1 and tonumber(before) or 0
local rank = tonumber(ARGV[7])
if not rank then
  local time = call('TIME')
  rank = math.max(time[1] * 1000000 + time[2], highest + 1)
elseif rank < highest then
  return {0}
end
local text = string.format('%.0f', rank)
call('HSET', KEYS[1], 'next', ARGV[1], 'nextBpp', ARGV[2], 'nextK', ARGV[3],
  'nextKeys', ARGV[4], 'nextRate', ARGV[5], 'nextRun', run, 'nextRank', text)
call('DEL', bitmap)
call('SETRANGE', bitmap, ARGV[2] * 64 - 1, '\0')
call('PEXPIRE', bitmap, ARGV[6])
if not generation then
  call('DEL', other)
  call('PEXPIRE', KEYS[1], ARGV[6])
end
return {1, text}
