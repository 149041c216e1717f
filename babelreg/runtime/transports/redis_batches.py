"""Scripts on reservations of several messages in babelqueue's plain layout of Redis, in one round trip each.

The keys are those of ``PlainRedis``.
"""

from __future__ import annotations

from babelreg.runtime.transports.redis_deliveries import DELIVERY_KEY

__all__ = ["ACKNOWLEDGE", "PUT_BACK", "RENEW", "RESERVE", "SWEEP"]

# A member of the two sorted sets is a token of 32 characters, a colon and the message, so that equal messages differ.
_BRING_BACK = (
    DELIVERY_KEY
    + """
local function bring_back(base)
    local ready, processing, deadlines = KEYS[base + 1], KEYS[base + 2], KEYS[base + 3]
    local deliveries, delayed = KEYS[base + 4], KEYS[base + 5]
    for _, member in ipairs(redis.call('zrangebyscore', deadlines, '-inf', ARGV[1], 'limit', 0, ARGV[2])) do
        if #member >= 34 and string.byte(member, 33) == 58 then
            local message = string.sub(member, 34)
            if redis.call('lrem', processing, 1, message) == 1 then
                redis.call('rpush', ready, message)
                if ARGV[4] ~= '0' then
                    redis.call('hincrby', deliveries, delivery_key(message), 1)
                    redis.call('pexpire', deliveries, ARGV[4])
                end
            end
        end
        redis.call('zrem', deadlines, member)
    end
    for _, member in ipairs(redis.call('zrangebyscore', delayed, '-inf', ARGV[3], 'limit', 0, 1000)) do
        redis.call('rpush', ready, string.sub(member, 34))
        redis.call('zrem', delayed, member)
    end
end
"""
)

# KEYS: ready, processing, deadlines, deliveries, delayed. ARGV: now in whole seconds, the most to sweep (-1: all), now,
# the life of the counts in ms (0: do not count).
SWEEP = _BRING_BACK + "bring_back(0)"

# KEYS: those of SWEEP, for each queue. ARGV: those of SWEEP, or an empty text first to sweep nothing; then the deadline
# and a token for each message that there is room for. Each queue that has messages gives one in turn. Returns for each
# message the index of its queue, the message, and its count.
RESERVE = (
    _BRING_BACK
    + """
local open = {}
for base = 0, #KEYS - 1, 5 do
    if ARGV[1] ~= '' then
        bring_back(base)
    end
    open[#open + 1] = base
end
local counted, taken, token = {}, {}, 6
while token <= #ARGV and #open > 0 do
    local filled = {}
    for _, base in ipairs(open) do
        local message = token <= #ARGV and redis.call('lmove', KEYS[base + 1], KEYS[base + 2], 'LEFT', 'RIGHT')
        if message then
            redis.call('zadd', KEYS[base + 3], ARGV[5], ARGV[token] .. ':' .. message)
            if counted[base] == nil then
                counted[base] = redis.call('exists', KEYS[base + 4]) == 1
            end
            taken[#taken + 1] = base / 5
            taken[#taken + 1] = message
            taken[#taken + 1] =
                counted[base] and tonumber(redis.call('hget', KEYS[base + 4], delivery_key(message)) or 0) or 0
            token = token + 1
            filled[#filled + 1] = base
        end
    end
    open = filled
end
return taken
"""
)

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

# KEYS: a sorted set of reservations. ARGV: the new deadline, the members. Returns the number that had expired.
RENEW = """
local expired = 0
for index = 2, #ARGV do
    if redis.call('zscore', KEYS[1], ARGV[index]) then
        redis.call('zadd', KEYS[1], ARGV[1], ARGV[index])
    else
        expired = expired + 1
    end
end
return expired
"""

# KEYS: processing, deadlines, ready. ARGV: the token, the message.
PUT_BACK = """
if redis.call('zrem', KEYS[2], ARGV[1] .. ':' .. ARGV[2]) == 1 then
    redis.call('lrem', KEYS[1], 1, ARGV[2])
    redis.call('lpush', KEYS[3], ARGV[2])
end
"""
