-- What comes before each script: commands that it cannot do without. If one is refused, so is the script, with the server's words and
-- the name of the command, which not every server tells. What a script does by redis.pcall alone may fail.
-- Before Redis 7, an error is a text. Redis 6 may be set to replicate scripts: then it writes nothing after INFO, PTTL, or TIME, unless
-- a script asks for the other way first.
if redis.replicate_commands then
  redis.replicate_commands()
end

local function call(command, ...)
  local answer = redis.pcall(command, ...)
  if type(answer) == 'table' and answer.err then
    answer.err = answer.err .. ' (' .. command .. ')'
    error(redis.REDIS_VERSION_NUM and answer or answer.err, 0)
  end
  return answer
end

-- Tells those who wait for the end of a lease, by PUBLISH or SPUBLISH. A server that does not know the word is told PUBLISH. May fail.
local function tell(publish, lease, message)
  if type(redis.pcall(publish, lease, message)) == 'table' then
    redis.pcall('PUBLISH', lease, message)
  end
end

-- Reads a string, or something about one. A value of another type is not the library's: false.
local function read(command, ...)
  local answer = redis.pcall(command, ...)
  if type(answer) == 'table' then
    return not string.find(answer.err, '^WRONGTYPE') and call(command, ...) -- it is refused again
  end
  return answer
end

