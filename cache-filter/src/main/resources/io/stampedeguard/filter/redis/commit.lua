-- Puts a generation that was built into force.
-- KEYS: state, bitmap a, bitmap b, the upload. ARGV: its id, when it was begun, how many bits are set in the upload.
-- 1. It is in force already, as this was sent twice: 1.
-- 2. Not being built any more: 0 if another one is, -1 if none is.
-- 3. The server is not the one on which it was begun, or a replica by now: -2. Adds may be missing.
-- 4. It was begun anew, its bitmap is gone, or the upload is not whole: -1. An upload without a bit may be missing.
-- 5. Join the upload with what was added meanwhile. This is the first change, so that a server that is full refuses
--    before anything has changed.
-- 6. It is in force, for ever, and its rank stays. What was in force and the upload go.
local generation, letter, building, blocks, bits, keys, rate, itsRun, rank, begun = unpack(call('HMGET', KEYS[1],
  'gen', 'in', 'next', 'nextBpp', 'nextK', 'nextKeys', 'nextRate', 'nextRun', 'nextRank', 'nextBegun'))
if generation == ARGV[1] then
  return 1
end
if building ~= ARGV[1] then
  return building and 0 or -1
end
local info = call('INFO', 'replication')
if type(info) ~= 'string' or not string.find(info, 'role:master', 1, true)
    or string.match(info, 'master_replid:(%x+)') ~= itsRun then
  return -2
end
local bitmap, former, itsLetter = KEYS[2], KEYS[3], 'a'
if letter == 'a' then
  bitmap, former, itsLetter = KEYS[3], KEYS[2], 'b'
end
if begun ~= ARGV[2] or call('EXISTS', bitmap) == 0 or call('BITCOUNT', KEYS[4]) ~= tonumber(ARGV[3]) then
  return -1
end
call('BITOP', 'OR', bitmap, bitmap, KEYS[4])
call('PERSIST', bitmap)
call('HSET', KEYS[1], 'gen', ARGV[1], 'in', itsLetter, 'bpp', blocks, 'k', bits,
  'keys', keys, 'rate', rate, 'run', itsRun, 'rank', rank)
call('HDEL', KEYS[1], 'next', 'nextBpp', 'nextK', 'nextKeys', 'nextRate', 'nextRun', 'nextRank', 'nextBegun')
call('PERSIST', KEYS[1])
call('DEL', former, KEYS[4])
return 1
