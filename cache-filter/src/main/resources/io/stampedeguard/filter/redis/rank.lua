-- Tells a rank for a generation that is to begin, and changes nothing.
-- KEYS: state.
-- Answers the time in microseconds, or more if the clock went back: a rank higher than those of the generation in force and
-- of the one that was begun last.
local time = call('TIME')
local inForce, begun = unpack(call('HMGET', KEYS[1], 'rank', 'nextRank'))
local rank = math.max(time[1] * 1000000 + time[2], (tonumber(inForce) or 0) + 1, (tonumber(begun) or 0) + 1)
return string.format('%.0f', rank)
