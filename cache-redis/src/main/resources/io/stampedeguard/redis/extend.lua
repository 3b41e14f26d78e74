-- Lets an entry live on under another head and gives the lease back, while the lease is the token's.
-- KEYS: value, lease, generation, marks of tags if there are tags: see held.lua. ARGV: token, token with which the entry begins,
-- head, lifetime of the entry in ms, PUBLISH or SPUBLISH, the tags.
-- 1. Not the token's lease: refused; unless the entry begins with the token: then this was done before, and the answer lost.
-- 2. A lease from before a change of all entries, or of those with one of the tags: refused, and it ends.
-- 3. If the entry begins as it should, set its end and overwrite its head; also if it begins with the token, since this script may
--    have come so far before a command was refused.
-- 4. End the lease: last, so that it is still held if this is refused, and the whole entry can be stored instead.
-- 5. If somebody may wait, which a zero after the token says, tell them: the token, or else that the lease is free.
local head = read('GETRANGE', KEYS[1], 0, 15)
if not isHeld then
  return head == ARGV[1] and 1 or 0
end
local isExtended = not hasEnded(6) and (head == ARGV[2] or head == ARGV[1]) and call('STRLEN', KEYS[1]) >= #ARGV[3]
if isExtended then
  call('PEXPIRE', KEYS[1], ARGV[4])
  call('SETRANGE', KEYS[1], 0, ARGV[3])
end
call('DEL', KEYS[2])
if string.sub(lease, 17, 17) == '0' then
  tell(ARGV[5], KEYS[2], isExtended and 'T' .. ARGV[1] or 'R')
end
return isExtended and 1 or 0
