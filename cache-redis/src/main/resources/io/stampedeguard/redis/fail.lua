-- Gives the lease back after a failed load, while it is the token's.
-- KEYS: lease. ARGV: token, failures in a row, for how many ms to cool down, for how many ms after that the failures are
-- remembered, both lengths together, what is to be told of the failure, PUBLISH or SPUBLISH.
-- 1. Not the token's lease: nothing changes.
-- 2. Put a mark in place of the lease. Its head is longer than any token. When it has cooled down is told by its end, and it
--    carries both lengths, so that no clock that was set back prolongs it.
-- 3. Tell those who wait: the token, for how long to cool down, the failure.
if read('GETRANGE', KEYS[1], 0, 15) ~= ARGV[1] then
  return 0
end
call('SET', KEYS[1], 'stampedeguard:failed ' .. ARGV[2] .. ' ' .. ARGV[3] .. ' ' .. ARGV[4] .. '\n' .. ARGV[6],
  'PX', ARGV[5])
tell(ARGV[7], KEYS[1], 'F' .. ARGV[1] .. ARGV[3] .. '\n' .. ARGV[6])
return 1
