-- Overwrites some bytes of an entry in place.
-- KEYS: value, lease; last change: see changed.lua. ARGV: offset, bytes, PUBLISH or SPUBLISH, channel of changes.
-- 1. If the entry reaches that far, overwrite the bytes; its lifetime stays as it is.
-- 2. End the lease in any case, so that a load in flight is not stored afterwards, or the cool-down.
-- 3. Announce the change: see change.lua.
local length = read('STRLEN', KEYS[1])
if type(length) == 'number' and length >= ARGV[1] + #ARGV[2] then
  call('SETRANGE', KEYS[1], ARGV[1], ARGV[2])
end
call('DEL', KEYS[2])
return announced(ARGV[3], ARGV[4])
