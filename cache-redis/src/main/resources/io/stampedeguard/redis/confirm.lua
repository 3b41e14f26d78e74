-- Whether a change stays known that was answered a short while ago, though the server may have restarted since: 1 or 0.
-- KEYS: mark of a change.
-- A server answers the change first, and then tells those who keep copies. If it answers this, too, it has told them before. If it
-- has restarted, they may put back what was changed, unless it has the mark.
return isYoung() and redis.pcall('GETRANGE', KEYS[1], 0, 0) == '' and 0 or 1
