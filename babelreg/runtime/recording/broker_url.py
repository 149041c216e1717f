"""URLs of brokers: their clients, and their errors in words that never show a password."""

from __future__ import annotations

import importlib
import os
import re
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import quote, unquote, urlsplit, urlunsplit

from babelqueue.redis_transport import RedisTransport

from babelreg.errors import BabelregError, InputError, UsageError
from babelreg.runtime.transports.replacements import confirmed

__all__ = ["PASSWORD_VARIABLE", "BrokerUrl"]

PASSWORD_VARIABLE = "BABELREG_BROKER_PASSWORD"
"""The variable for the password of a URL without one: arguments of a command are seen by everyone on the machine."""

_SCHEMES = {"redis": ("redis", "rediss", "unix"), "rabbitmq": ("amqp", "amqps")}
_EXAMPLES = {"redis": "redis://localhost:6379/0", "rabbitmq": "amqp://guest:guest@localhost:5672/%2F"}
_CONNECT_SECONDS = 10


@dataclass(frozen=True, slots=True)
class BrokerUrl:
    """The URL of a broker of one ``kind``. ``shown`` has ``***`` for the password; ``text`` has the password."""

    kind: Literal["redis", "rabbitmq"]
    text: str = field(repr=False)
    shown: str

    @classmethod
    def parse(cls, kind: Literal["redis", "rabbitmq"], text: str) -> BrokerUrl:
        """Return the URL ``text``; if it has no password, with that of ``BABELREG_BROKER_PASSWORD``.

        Raises UsageError.
        """
        try:
            parts = urlsplit(text)
            host, port = parts.hostname, parts.port
        except ValueError as err:
            raise UsageError(f"the URL of the broker cannot be read: {err}", fix=_EXAMPLES[kind]) from None
        if parts.scheme not in _SCHEMES[kind]:
            raise _wrong_scheme(kind, parts.scheme)
        if not host and parts.scheme != "unix":
            raise UsageError("the URL of the broker names no host", fix=_EXAMPLES[kind])
        given = os.environ.get(PASSWORD_VARIABLE)
        password = quote(given, safe="") if parts.password is None and given else parts.password
        user = parts.username or ""
        name = f"[{host}]" if host and ":" in host else host or ""
        place = f"{name}:{port}" if port is not None else name
        secret = f"{user}:{password}@{place}" if password is not None else parts.netloc
        shown = f"{user}:***@{place}" if password is not None else parts.netloc
        query = re.sub(r"(password=)[^&]*", r"\1***", parts.query)
        return cls(
            kind, urlunsplit(parts._replace(netloc=secret)), urlunsplit(parts._replace(netloc=shown, query=query))
        )

    def redis(self) -> RedisTransport:
        """Return babelqueue's transport, connected. Raises UsageError."""
        _need("redis")
        try:
            transport = confirmed(RedisTransport(self.text))
            assert isinstance(transport, RedisTransport)
            settings = transport._redis.connection_pool.connection_kwargs
            settings.setdefault("socket_connect_timeout", _CONNECT_SECONDS)
            transport._redis.ping()
        except BabelregError:
            raise
        except Exception as err:
            raise self.explained(err) from err
        return transport

    def amqp_parameters(self, name: str) -> Any:
        """Return pika's parameters for connections that the broker lists as ``name``. Raises UsageError."""
        _need("pika")
        pika = importlib.import_module("pika")
        try:
            parameters = pika.URLParameters(self.text)
        except Exception as err:
            raise self.explained(err) from err
        parameters.client_properties = {"connection_name": name}
        parameters.socket_timeout = parameters.stack_timeout = _CONNECT_SECONDS
        return parameters

    def explained(self, err: Exception) -> BabelregError:
        """Return an exception of the client, or of the connection, as an error with a fix."""
        if isinstance(err, BabelregError):
            return err
        text = self._without_password(_described(err))
        broker = "Redis" if self.kind == "redis" else "RabbitMQ"
        for pattern, message, fix in _EXPLANATIONS:
            if re.search(pattern, f"{type(err).__name__}: {text}", re.IGNORECASE):
                return InputError(
                    f"{broker} at {self.shown} {message}: {text}", fix=fix.format(variable=PASSWORD_VARIABLE)
                )
        return InputError(f"{broker} at {self.shown}: {text}", fix="check the URL, and the log of the broker")

    def _without_password(self, text: str) -> str:
        password = urlsplit(self.text).password
        for secret in {password, unquote(password)} if password else ():
            if len(secret) > 3:  # a shorter one is a part of ordinary words
                text = text.replace(secret, "***")
        return text


_EXPLANATIONS = (
    # Of the text of an exception with its class: what that means, and what to do.
    (
        r"AuthenticationError|NOAUTH|WRONGPASS|invalid password|without any password configured",
        "refuses the user or password",
        "put both into the URL, with %-escapes for special characters, or the password into {variable}",
    ),
    (
        r"ProbableAccessDenied|NOT_ALLOWED",
        "refuses the virtual host",
        "the path of the URL names it: %2F is '/', /shop is 'shop'",
    ),
    (r"NOPERM|ACCESS_REFUSED", "does not permit that to this user", "grant the user the right, or take another user"),
    (r"RESOURCE_LOCKED|exclusive", "keeps the queue for one connection", "stop its exclusive consumer"),
    (
        r"CERTIFICATE_VERIFY_FAILED",
        "has a certificate that is not trusted here",
        "name the file of its authority in the environment: SSL_CERT_FILE=ca.pem",
    ),
    (
        r"WRONG_VERSION_NUMBER|handshake operation timed out|IncompatibleProtocol|AMQPConnectorStackTimeout|SSL",
        "does not speak as expected",
        "check host, port, and whether TLS is used: amqps:// and rediss:// with it, amqp:// and redis:// without",
    ),
    (
        r"WRONGTYPE",
        "has no list under the name of the queue",
        "check the name of the queue: the key of that name is of another type",
    ),
    (r"unknown (redis )?command|ERR value is not", "is too old", "use Redis 6.2 or newer"),
    (
        r"MOVED|CROSSSLOT",
        "is a cluster, which BabelQueue's queues do not work on",
        "name the server that holds the queue",
    ),
    (r"OOM command", "has no memory left to move messages within", "raise maxmemory for the time of the drain"),
    (
        r"refused|not known|name resolution|unreachable|No route|time(d )?out|reset by peer|closed|gaierror|StreamLost"
        r"|ConnectionError",
        "cannot be reached",
        "check host and port, that the broker runs, and whether it uses TLS",
    ),
)


def _wrong_scheme(kind: str, scheme: str) -> UsageError:
    other = next((name for name, schemes in _SCHEMES.items() if scheme in schemes), None)
    if other is not None:
        return UsageError(
            f"a URL with {scheme}:// is that of {other}, not of {kind}", fix=f"write {other} before the URL"
        )
    return UsageError(f"the URL of {kind} begins with one of {', '.join(_SCHEMES[kind])}", fix=_EXAMPLES[kind])


def _need(module: str) -> None:
    try:
        importlib.import_module(module)
    except ImportError as err:
        raise UsageError(f"{module} is not installed", fix="pip install 'babelreg[recording]'") from err


_REPLY = re.compile(r"\(\d+\) ['\"](.*?)['\"]")
"""The answer of an AMQP broker in the text of pika's exceptions."""


def _described(err: BaseException) -> str:
    """Return the text of an exception; that of an inner one where pika wraps it."""
    text = " ".join(str(err).split())
    if match := _REPLY.search(text):
        return match[1]
    wrapped = (getattr(err, "exception", None), *err.args, err.__cause__)
    inner = next((item for item in wrapped if isinstance(item, BaseException)), None)
    if inner is not None and type(err).__module__.startswith("pika."):
        return _described(inner)
    if isinstance(err, OSError) and err.strerror:
        return err.strerror
    return text.partition(" script: ")[0] or type(err).__name__
