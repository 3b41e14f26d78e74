-- Adds a key to each generation that is in force or may come into force.
-- KEYS: state, bitmap a, bitmap b. ARGV: the 27 bits of the key's hash behind those that tell its partition; the
-- identity of the hash, with which the id of each generation ends that was made by it; then the positions of the key's
-- bits within its block, as many as any generation may want.
-- A generation that was made by another hash is left as it is: there, these bits are those of other keys.
-- 1. The generation in force, if its bitmap is there: set the bits. Else it is lost for good: with this key alone in
--    a new bitmap it would call all others absent.
-- 2. The same with the one that is being built, whose bitmap bears the other letter. 'in' stays as long as the state.
-- Answers the id of the generation in force, whoever made it, or nothing.
local generation, letter, blocks, bits, building, itsBlocks, itsBits =
  unpack(call('HMGET', KEYS[1], 'gen', 'in', 'bpp', 'k', 'next', 'nextBpp', 'nextK'))
local bitmap, other = KEYS[2], KEYS[3]
if letter ~= 'a' then
  bitmap, other = other, bitmap
end

local function add(to, ofBlocks, ofBits)
  if call('EXISTS', to) == 0 then
    return false
  end
  local first = math.floor(ARGV[1] * ofBlocks / 134217728) * 512
  local sets = {}
  for i = 3, ofBits + 2 do
    local at = #sets
    sets[at + 1], sets[at + 2], sets[at + 3], sets[at + 4] = 'SET', 'u1', first + ARGV[i], 1
  end
  call('BITFIELD', to, unpack(sets))
  return true
end

local function isOurs(id)
  return string.sub(id, -#ARGV[2]) == ARGV[2]
end

if generation and isOurs(generation) and not add(bitmap, blocks, bits) then
  call('HDEL', KEYS[1], 'gen')
  generation = false
end
if building and isOurs(building) and not add(other, itsBlocks, itsBits) then
  call('HDEL', KEYS[1], 'next')
end
return generation or ''
