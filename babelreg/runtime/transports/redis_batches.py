"""Reservations of several messages at a time in babelqueue's plain layout of Redis, for concurrent consumers.

Each is one script in one round trip. The keys are those of ``PlainRedis``.
"""

from __future__ import annotations

from babelreg.runtime.transports.redis_deliveries import DELIVERY_KEY

__all__ = ["ACKNOWLEDGE", "PUT_BACK", "RENEW", "RESERVE"]

# As _RESERVE of PlainRedis, with a token for each message that there is room for. Returns pairs of message and count.
RESERVE = """
local counted = redis.call('exists', KEYS[4]) == 1
local taken = {}
for index = 6, #ARGV do
    local message = redis.call('lmove', KEYS[1], KEYS[2], 'LEFT', 'RIGHT')
    if not message then
        break
    end
    redis.call('zadd', KEYS[3], ARGV[5], ARGV[index] .. ':' .. message)
    taken[#taken + 1] = message
    taken[#taken + 1] = counted and tonumber(redis.call('hget', KEYS[4], delivery_key(message)) or 0) or 0
end
return taken
"""
"""The end of a script that begins with the one that brings back what is due."""

# KEYS: processing, deadlines, deliveries. ARGV: for each message its token, the message, and 1 to forget its count.
# Returns the indexes, from 0, of those whose reservation had expired.
ACKNOWLEDGE = (
    DELIVERY_KEY
    + """
local expired = {}
for index = 1, #ARGV, 3 do
    local message = ARGV[index + 1]
    if redis.call('zrem', KEYS[2], ARGV[index] .. ':' .. message) == 1 then
        redis.call('lrem', KEYS[1], 1, message)
        if ARGV[index + 2] == '1' then
            redis.call('hdel', KEYS[3], delivery_key(message))
        end
    else
        expired[#expired + 1] = (index - 1) / 3
    end
end
return expired
"""
)

# KEYS: deadlines. ARGV: the token, the message, the new deadline. Returns 0 if the reservation has expired.
RENEW = """
local member = ARGV[1] .. ':' .. ARGV[2]
if not redis.call('zscore', KEYS[1], member) then
    return 0
end
redis.call('zadd', KEYS[1], ARGV[3], member)
return 1
"""

# KEYS: processing, deadlines, ready. ARGV: the token, the message.
PUT_BACK = """
if redis.call('zrem', KEYS[2], ARGV[1] .. ':' .. ARGV[2]) == 1 then
    redis.call('lrem', KEYS[1], 1, ARGV[2])
    redis.call('lpush', KEYS[3], ARGV[2])
end
"""
