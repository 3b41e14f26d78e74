-- Tells what the generation in force has in the block of a key.
-- KEYS: state, bitmap a, bitmap b. ARGV: the 27 bits of the key's hash behind those that tell its partition.
-- 1. The server does not tell its incarnation: -1, and why. It is a replica, which may lag behind: an error.
-- 2. No generation in force, or one of another incarnation, or its bitmap is gone: 0, lost.
-- 3. Else 1, its id, its design, and the 64 bytes of the block.
local info = redis.pcall('INFO', 'replication')
local run = type(info) == 'string' and string.match(info, 'master_replid:(%x+)')
if not run then
  return {-1, type(info) == 'table' and info.err or 'INFO replication has no master_replid'}
end
if not string.find(info, 'role:master', 1, true) then
  return redis.error_reply('READONLY a replica is not asked for keys, as it may lag behind')
end
local generation, letter, blocks, bits, keys, rate, itsRun =
  unpack(call('HMGET', KEYS[1], 'gen', 'in', 'bpp', 'k', 'keys', 'rate', 'run'))
if not generation or itsRun ~= run then
  return {0}
end
local from = math.floor(ARGV[1] * blocks / 134217728) * 64
local block = call('GETRANGE', letter == 'a' and KEYS[2] or KEYS[3], from, from + 63)
if #block < 64 then
  return {0}
end
return {1, generation, blocks, bits, keys, rate, block}
