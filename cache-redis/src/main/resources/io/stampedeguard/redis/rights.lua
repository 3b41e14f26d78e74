-- Names the commands that a cache needs and its user may not call. Calls none of them, and leaves nothing in the server's ACL LOG.
-- ARGV: a Redis key.
-- 1. A server before Redis 7 does not tell: nothing.
-- 2. Ask for each command. A server that has another name for it, or none, permits it to nobody.
-- 3. If no command is permitted that has the key, the user may not access the key, whatever the commands: nothing.
if not redis.acl_check_cmd then
  return false
end

local function missing(commands)
  local names = {}
  for _, command in ipairs(commands) do
    local isKnown, isPermitted = pcall(redis.acl_check_cmd, unpack(command))
    if not isKnown or not isPermitted then
      names[#names + 1] = command[1]
    end
  end
  return names
end

local key = ARGV[1]
local ofKey = {
  {'GET', key}, {'MGET', key}, {'GETRANGE', key, '0', '0'}, {'STRLEN', key}, {'PTTL', key}, {'SET', key, ''},
  {'SETRANGE', key, '0', ''}, {'PEXPIRE', key, '1'}, {'DEL', key}
}
local names = missing(ofKey)
if #names == #ofKey then
  return false
end
for _, name in ipairs(missing({{'TIME'}, {'PING'}, {'EVALSHA', '', '0'}})) do
  names[#names + 1] = name
end
return names
