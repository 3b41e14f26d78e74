-- Lets a generation that is being built live on, and takes bits that are to be in it.
-- KEYS: state, bitmap a, bitmap b, the upload. ARGV: its id, when it was begun, lifetime in ms; where some bytes
-- belong, and the bytes.
-- 1. It is in force already, as a rebuild renews all partitions while it commits one by one: 1, nothing is left to do.
-- 2. Not being built any more: 0 if another one is, -1 if none is, it was begun anew, or its bitmap is gone.
-- 3. Set the ends anew; of the state only if it has one.
-- 4. Put the bytes into the upload, which has an end of its own.
local generation, letter, building, begun = unpack(call('HMGET', KEYS[1], 'gen', 'in', 'next', 'nextBegun'))
if generation == ARGV[1] then
  return 1
end
if building ~= ARGV[1] then
  return building and 0 or -1
end
if begun ~= ARGV[2] or call('PEXPIRE', letter == 'a' and KEYS[3] or KEYS[2], ARGV[3]) == 0 then
  return -1
end
if not generation then
  call('PEXPIRE', KEYS[1], ARGV[3])
end
if ARGV[5] then
  call('SETRANGE', KEYS[4], ARGV[4], ARGV[5])
end
call('PEXPIRE', KEYS[4], ARGV[3])
return 1
