-- Reads a part of a generation's bits.
-- KEYS: state, bitmap a, bitmap b. ARGV: the generation's id, the first byte, the last byte.
-- 1. The generation is not in force any more: nothing.
-- 2. Its bytes; nothing if its bitmap is gone.
local generation, letter = unpack(call('HMGET', KEYS[1], 'gen', 'in'))
if generation ~= ARGV[1] then
  return ''
end
return call('GETRANGE', letter == 'a' and KEYS[2] or KEYS[3], ARGV[2], ARGV[3])
