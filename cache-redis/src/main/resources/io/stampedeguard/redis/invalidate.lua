-- Removes an entry.
-- KEYS: value, lease; last change: see changed.lua. ARGV: PUBLISH or SPUBLISH, channel of changes.
-- 1. Remove the entry, and with it the lease, so that a load in flight is not stored afterwards, or the cool-down.
-- 2. Announce the change: see change.lua.
call('DEL', KEYS[1], KEYS[2])
return announced(ARGV[1], ARGV[2])
