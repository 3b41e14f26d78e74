-- Names the commands for the channels of caches that the user may not call. Calls none of them.
-- ARGV: the channel of changes, the channel of a lease, and "sharded" if its messages are.
-- A server before Redis 7 does not tell: nothing.
if not redis.acl_check_cmd then
  return false
end

local changes, lease = ARGV[1], ARGV[2]
local commands = {{'PUBLISH', changes, ''}, {'SUBSCRIBE', changes}, {'UNSUBSCRIBE', changes}}
if ARGV[3] == 'sharded' then
  commands[4], commands[5], commands[6] = {'SPUBLISH', lease, ''}, {'SSUBSCRIBE', lease}, {'SUNSUBSCRIBE', lease}
end
local names = {}
for _, command in ipairs(commands) do
  local isKnown, isPermitted = pcall(redis.acl_check_cmd, unpack(command))
  if not isKnown or not isPermitted then
    names[#names + 1] = command[1]
  end
end
return names
