-- Whether a change stays known that was answered a short while ago, though the server may have restarted since: 1 or 0.
-- KEYS: mark of a change. ARGV: the kind of change: see change.lua.
-- A server answers the change first, and then tells those who keep copies. If it answers this, too, and has no io-threads, it has
-- told them before. If it has restarted, they may put back what was changed, unless it has the mark; an entry that was put back and
-- then expired is still there.
local mark = isYoung() and (read('GETRANGE', KEYS[1], 0, -1) or '')
return (not mark or mark == 'replaced' or mark == ARGV[1]) and 1 or 0
