-- Stores an entry, whoever holds the lease.
-- KEYS: value, lease. ARGV: entry, life time of the entry in ms.
-- 1. Store the entry, whatever was there.
-- 2. End the lease, so that a load in flight is not stored over it.
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
redis.call('DEL', KEYS[2])
return 1
