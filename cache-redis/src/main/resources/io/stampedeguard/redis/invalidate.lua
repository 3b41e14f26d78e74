-- Removes an entry.
-- KEYS: value, lease.
-- 1. Remove the entry, and the lease with it, so that a load in flight is not stored afterwards.
return redis.call('DEL', KEYS[1], KEYS[2])
