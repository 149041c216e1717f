"""The count of deliveries that Redis recovered from workers that died, in a hash beside the reserved messages."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["DELIVERY_KEY", "Reservation", "ReservedMember"]

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
