-- Removes a process from those that use a cache.
-- KEYS: members. ARGV: process.
-- 1. Remove it, and the set with the last one. Answers whether it was there.
return call('ZREM', KEYS[1], ARGV[1])
