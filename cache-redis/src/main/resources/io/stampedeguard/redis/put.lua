-- Stores an entry, whoever holds the lease.
-- KEYS: value, lease, mark of a change. ARGV: entry, lifetime of the entry in ms, PUBLISH or SPUBLISH, channel of changes.
-- 1. Store the entry, whatever was there.
-- 2. End the lease, so that a load in flight is not stored over it, or the cool-down.
-- 3. Announce the change, and return to whom: see change.lua.
call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
call('DEL', KEYS[2])
return announced(ARGV[3], ARGV[4], 'replaced')
