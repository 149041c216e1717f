"""Reservations in Redis: their handles, and the scripts on several at once in babelqueue's plain layout.

The keys are those of ``PlainRedis``. Deliveries recovered from workers that died are counted in a hash beside
the reserved messages.
"""

from __future__ import annotations

from typing import NamedTuple

DELIVERY_KEY = """
local function delivery_key(message)
    local done, id = pcall(function()
        local envelope = cjson.decode(message)
        if envelope['__bq_frame'] then
            envelope = cjson.decode(envelope['body'])
        end
        return envelope['meta']['id']
    end)
    if done and type(id) == 'string' and id ~= '' then
        return id
    end
    return redis.sha1hex(message)
end
"""
"""A function in Lua: the field of a message in the hash, its ``meta.id``, or a digest of a message without one."""

# A member of the two sorted sets is a token of 32 characters, a colon and the message, so that equal messages differ.
_BRING_BACK = (
    DELIVERY_KEY
    + """
local function keys_of(ready)
    local processing = ready .. ARGV[5]
    return processing, processing .. ':deadlines', processing .. ':deliveries', ready .. ':delayed'
end
local function bring_back(ready)
    local processing, deadlines, deliveries, delayed = keys_of(ready)
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

# KEYS: the list of the queue; the names of the others, on the same server, are made of it: ten queues would be 50 keys
# in each request. ARGV: now in whole seconds, the most to sweep (-1: all), now, the life of the counts in ms (0: do not
# count), the suffix of processing.
SWEEP = _BRING_BACK + "bring_back(KEYS[1])"

# ARGV: those of SWEEP, or an empty text first to sweep nothing; then the lists of the queues, a JSON array, which costs
# the client less than ten keys; the deadline, and a token for each message that there is room for. Each queue that has
# messages gives one in turn. Returns for each message the index of its queue, the message, and its count.
RESERVE = (
    _BRING_BACK
    + """
local lists, open = cjson.decode(ARGV[6]), {}
for index, ready in ipairs(lists) do
    if ARGV[1] ~= '' then
        bring_back(ready)
    end
    open[index] = index
end
local counted, taken, token = {}, {}, 8
while token <= #ARGV and #open > 0 do
    local filled = {}
    for _, index in ipairs(open) do
        local ready = lists[index]
        local message = token <= #ARGV and redis.call('lmove', ready, ready .. ARGV[5], 'LEFT', 'RIGHT')
        if message then
            local _, deadlines, deliveries = keys_of(ready)
            redis.call('zadd', deadlines, ARGV[7], ARGV[token] .. ':' .. message)
            if counted[index] == nil then
                counted[index] = redis.call('exists', deliveries) == 1
            end
            taken[#taken + 1] = index - 1
            taken[#taken + 1] = message
            taken[#taken + 1] =
                counted[index] and tonumber(redis.call('hget', deliveries, delivery_key(message)) or 0) or 0
            token = token + 1
            filled[#filled + 1] = index
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


class Reservation(NamedTuple):
    """The handle of a reserved message in the plain layout: the value in the list, its token, and its count."""

    raw: str
    token: str
    recoveries: int


class ReservedMember(str):
    """A member of the sorted set of reserved messages in Laravel's layout."""

    recoveries: int

    def __new__(cls, text: str, recoveries: int) -> ReservedMember:
        member = super().__new__(cls, text)
        member.recoveries = recoveries
        return member
