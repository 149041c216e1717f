"""URLs of brokers: their clients, and their errors in words that never show a password."""

from __future__ import annotations

import importlib
import os
import re
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import parse_qsl, quote, unquote, urlsplit, urlunsplit

from babelqueue.redis_transport import RedisTransport

from babelreg.errors import BabelregError, InputError, UsageError
from babelreg.runtime.transports.redis_layout import RedisLayout, refuse_cluster
from babelreg.runtime.transports.replacements import confirmed

PASSWORD_VARIABLE = "BABELREG_BROKER_PASSWORD"
"""The variable for the password of a URL without one: arguments of a command are seen by everyone on the machine."""

BrokerKind = Literal["redis", "rabbitmq", "kafka"]

_SCHEMES: dict[BrokerKind, tuple[str, ...]] = {
    "redis": ("redis", "rediss", "unix"),
    "rabbitmq": ("amqp", "amqps"),
    "kafka": ("kafka",),
}
_EXAMPLES: dict[BrokerKind, str] = {
    "redis": "redis://localhost:6379/0",
    "rabbitmq": "amqp://guest:guest@localhost:5672/%2F",
    "kafka": "kafka://localhost:9092",
}
_NAMES: dict[BrokerKind, str] = {"redis": "Redis", "rabbitmq": "RabbitMQ", "kafka": "Kafka"}
_CONNECT_SECONDS = 10


@dataclass(frozen=True, slots=True)
class BrokerUrl:
    """The URL of a broker of one ``kind``. ``shown`` has ``***`` for the password; ``text`` has the password."""

    kind: BrokerKind
    text: str = field(repr=False)
    shown: str

    @classmethod
    def of(cls, text: str) -> BrokerUrl:
        """Return the URL ``text`` of any broker, which its scheme tells. Raises UsageError, as :meth:`parse`."""
        scheme = text.partition("://")[0].lower()
        kind = next((kind for kind, schemes in _SCHEMES.items() if scheme in schemes), None)
        if kind is None:
            schemes = ", ".join(f"{scheme}://" for schemes in _SCHEMES.values() for scheme in schemes)
            raise UsageError(f"the URL of a broker begins with one of {schemes}", fix=_EXAMPLES["redis"])
        return cls.parse(kind, text)

    @classmethod
    def parse(cls, kind: BrokerKind, text: str) -> BrokerUrl:
        """Return the URL ``text``; if it has no password, with that of ``BABELREG_BROKER_PASSWORD``.

        Raises UsageError.
        """
        try:
            parts = urlsplit(text)
            place = parts.netloc.rpartition("@")[2]
            if kind != "kafka":  # which may name several hosts
                _ = parts.port
        except ValueError as err:
            raise UsageError(f"the URL of the broker cannot be read: {err}", fix=_EXAMPLES[kind]) from None
        if parts.scheme not in _SCHEMES[kind]:
            raise _wrong_scheme(kind, parts.scheme)
        if not (parts.hostname or parts.scheme == "unix"):
            raise UsageError("the URL of the broker has no host", fix=_EXAMPLES[kind])
        given = os.environ.get(PASSWORD_VARIABLE)
        password = quote(given, safe="") if parts.password is None and given else parts.password
        user = parts.username or ""
        secret = f"{user}:{password}@{place}" if password is not None else parts.netloc
        shown = f"{user}:***@{place}" if password is not None else parts.netloc
        query = re.sub(r"(password=)[^&]*", r"\1***", parts.query)
        return cls(
            kind, urlunsplit(parts._replace(netloc=secret)), urlunsplit(parts._replace(netloc=shown, query=query))
        )

    @property
    def name(self) -> str:
        """The name of the product."""
        return _NAMES[self.kind]

    def redis(self) -> RedisLayout:
        """Return a transport, connected. Raises UsageError."""
        _need("redis")
        try:
            transport = confirmed(RedisTransport(self.text))
            assert isinstance(transport, RedisLayout)
            settings = transport.client.connection_pool.connection_kwargs
            settings.setdefault("socket_connect_timeout", _CONNECT_SECONDS)
            transport.client.ping()
            refuse_cluster(transport.client)
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

    def kafka_settings(self) -> dict[str, Any]:
        """Return the settings of Kafka's client: those of the query; with a user, SASL over TLS. Raises UsageError."""
        _need("confluent_kafka")
        parts = urlsplit(self.text)
        settings = {"bootstrap.servers": parts.netloc.rpartition("@")[2]}
        if parts.username and parts.password is not None:
            user, password = unquote(parts.username), unquote(parts.password)
            settings |= {"security.protocol": "SASL_SSL", "sasl.mechanism": "PLAIN"}
            settings |= {"sasl.username": user, "sasl.password": password}
        return settings | dict(parse_qsl(parts.query))

    def explained(self, err: Exception) -> BabelregError:
        """Return an exception of the client, or of the connection, as an error with a fix."""
        if isinstance(err, BabelregError):
            return err
        text = self._without_password(_described(err))
        broker = self.name
        for pattern, message, fix in _EXPLANATIONS:
            if re.search(pattern, f"{type(err).__name__}: {text}", re.IGNORECASE):
                return InputError(
                    f"{broker} at {self.shown} {message}: {text}", fix=fix.format(variable=PASSWORD_VARIABLE)
                )
        return InputError(f"{broker} at {self.shown}: {text}", fix="check the URL, and the log of the broker")

    def _without_password(self, text: str) -> str:
        parts = urlsplit(self.text)
        written = [parts.password or "", *re.findall(r"password=([^&]*)", parts.query)]
        for secret in {secret for each in written for secret in (each, unquote(each))}:
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
    (
        r"NOPERM|ACCESS_REFUSED",
        "does not allow this user to do that",
        "grant the user the permission, or use another user",
    ),
    (
        r"UnroutableError|UNKNOWN_TOPIC",
        "has no queue of that name",
        "name another one with --to, or start its consumer, which declares it",
    ),
    (r"RESOURCE_LOCKED|exclusive", "reserves the queue for one connection", "stop its exclusive consumer"),
    (
        r"CERTIFICATE_VERIFY_FAILED",
        "has a certificate that is not trusted here",
        "set SSL_CERT_FILE=ca.pem, the file of its certificate authority",
    ),
    (
        r"MOVED|CROSSSLOT",
        "is a cluster, which BabelQueue's queues do not support",
        "use a Redis server that is not a cluster",
    ),
    (
        r"WRONG_VERSION_NUMBER|handshake operation timed out|IncompatibleProtocol|AMQPConnectorStackTimeout|SSL",
        "does not answer in the expected protocol",
        "check host, port, and whether TLS is used: amqps:// and rediss:// with it, amqp:// and redis:// without",
    ),
    (
        r"WRONGTYPE",
        "has no list with the name of the queue",
        "check the name of the queue: a key of that name exists, but has another type",
    ),
    (r"unknown (redis )?command|ERR value is not", "is too old", "use Redis 6.2 or newer"),
    (r"OOM command", "has no memory left for moving messages", "raise maxmemory during the run"),
    (
        r"refused|not known|name resolution|unreachable|No route|time(d )?out|reset by peer|closed|gaierror|StreamLost"
        r"|ConnectionError|transport failure|brokers are down|not confirmed|no answer|answers nothing",
        "cannot be reached",
        "check host and port, that the broker runs, and whether it uses TLS",
    ),
)


def _wrong_scheme(kind: BrokerKind, scheme: str) -> UsageError:
    other = next((name for name, schemes in _SCHEMES.items() if scheme in schemes), None)
    if other is not None:
        return UsageError(f"{scheme}:// is the scheme of {other}, not of {kind}", fix=f"write {other} before the URL")
    return UsageError(f"the URL of {kind} begins with one of {', '.join(_SCHEMES[kind])}", fix=_EXAMPLES[kind])


def _need(module: str) -> None:
    try:
        importlib.import_module(module)
    except ImportError as err:
        raise UsageError(f"{module} is not installed", fix="pip install 'babelreg[recording]'") from err


_REPLY = re.compile(r"""\(\d+\) ['"](.*?)['"]|str="(.*?)"}""")
"""The answer of a broker in the text of pika's exceptions, and of those of Kafka's client."""


def _described(err: BaseException) -> str:
    """Return the text of an exception; that of an inner one where pika wraps it."""
    text = " ".join(str(err).split())
    if match := _REPLY.search(text):
        return match[1] or match[2]
    wrapped = (getattr(err, "exception", None), *err.args, err.__cause__)
    inner = next((item for item in wrapped if isinstance(item, BaseException)), None)
    if inner is not None and type(err).__module__.startswith("pika."):
        return _described(inner)
    if isinstance(err, OSError) and err.strerror:
        return err.strerror
    return text.partition(" script: ")[0] or type(err).__name__
