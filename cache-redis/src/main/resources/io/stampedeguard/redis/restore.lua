-- Puts back an entry that the server has lost by a restart, and gives the lease back, while the lease is the token's.
-- KEYS: value, lease, mark of a change. ARGV: token, entry, lifetime of the entry in ms, run id of the server that had it,
-- PUBLISH or SPUBLISH, when servers first answered after that run had ended, by their clock in ms.
-- 1. Not the token's lease: refused; unless the entry begins with the token: then this was done before, and the answer lost.
-- 2. End the lease.
-- 3. Store the entry, if this is another run of the server, has never been a replica, began less than 30 s ago, but before the
--    first answer (otherwise the run with the entry gave it: it did not end then), and if nobody has changed the key since:
--    nothing was evicted or flushed, thus no mark. The times are exact to a second or two. What the server does not say is not so.
-- 4. Tell those who wait: the entry, or its token alone if it has more than 8 KiB; or that the lease is free.
--    A server that does not know the word is told PUBLISH. May fail.
-- Redis 6 may be set to replicate scripts: then it writes nothing after INFO, unless this script asks for the other way first.
if redis.replicate_commands then
  redis.replicate_commands()
end
if read('GETRANGE', KEYS[2], 0, 15) ~= ARGV[1] then
  return read('GETRANGE', KEYS[1], 0, 15) == ARGV[1] and 1 or 0
end
call('DEL', KEYS[2])

local function info(section)
  local text = redis.pcall('INFO', section)
  return type(text) == 'string' and text or ''
end

local server, replication, time = info('server'), info('replication'), call('TIME')
local run, uptime = string.match(server, 'run_id:(%x+)'), string.match(server, 'uptime_in_seconds:(%d+)')
local hasRestarted = run and run ~= ARGV[4] and uptime and tonumber(uptime) < 30
  and (time[1] - uptime - 2) * 1000 < tonumber(ARGV[6])
local isOriginal = string.find(replication, 'role:master', 1, true) and string.find(replication, 'master_replid2:0+%s')
local commands = info('commandstats')
local hasAllMarks = string.find(info('stats'), 'evicted_keys:0%s')
  and string.find(commands, 'cmdstat_', 1, true) and not string.find(commands, 'cmdstat_flush', 1, true)
local isUnchanged = read('GETRANGE', KEYS[3], 0, 0) == ''
local restored = hasRestarted and isOriginal and hasAllMarks and isUnchanged
if restored then
  call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
end
local message = restored and (#ARGV[2] <= 8192 and 'E' .. ARGV[2] or 'T' .. ARGV[1]) or 'R'
if type(redis.pcall(ARGV[5], KEYS[2], message)) == 'table' then
  redis.pcall('PUBLISH', KEYS[2], message)
end
return restored and 1 or 0
