<?php

// The surface of the PHP SDK, as far as generated code and the services of the tests touch it. What it does with an
// envelope is what the SDK does: the same members, the same flags of json_encode(), arrays for all objects.

declare(strict_types=1);

namespace BabelQueue\Contracts {
    interface HasBabelUrn
    {
        public function getBabelUrn(): string;
    }

    interface PolyglotJob extends HasBabelUrn
    {
        /** @return array<string, mixed> */
        public function toPayload(): array;
    }

    interface HasTraceId
    {
        public function getBabelTraceId(): ?string;
    }

    interface InboundMessage
    {
        public function getUrn(): string;

        public function getTraceId(): string;

        /** @return array<string, mixed> */
        public function getData(): array;

        /** @return array<string, mixed> */
        public function getMeta(): array;
    }

    interface ConsumedMessage extends InboundMessage
    {
        public function attempts(): int;

        /** @return array<string, mixed> */
        public function envelope(): array;
    }

    interface HasRawBody
    {
        public function rawBody(): ?string;
    }

    interface Transport
    {
        public function publish(string $payload, ?string $queue = null): ?string;
    }
}

namespace BabelQueue\Exceptions {
    class BabelQueueException extends \RuntimeException
    {
    }

    class UnknownUrnException extends BabelQueueException
    {
    }
}

namespace BabelQueue\Codec {
    use BabelQueue\Contracts\HasTraceId;
    use BabelQueue\Contracts\PolyglotJob;

    final class EnvelopeCodec
    {
        /** @return array{job: string, trace_id: string, data: array<string, mixed>, meta: array<string, mixed>, attempts: int} */
        public static function fromJob(PolyglotJob $job, string $queue): array
        {
            $meta = ['id' => self::uuid(), 'queue' => $queue, 'lang' => 'php', 'schema_version' => 1];
            $meta['created_at'] = (int) round(microtime(true) * 1000);
            $trace = $job instanceof HasTraceId ? trim((string) $job->getBabelTraceId()) : '';

            return [
                'job' => trim($job->getBabelUrn()),
                'trace_id' => $trace !== '' ? $trace : self::uuid(),
                'data' => $job->toPayload(),
                'meta' => $meta,
                'attempts' => 0,
            ];
        }

        /** @param array<string, mixed> $payload */
        public static function encode(array $payload): string
        {
            return json_encode($payload, JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES);
        }

        /** @return array<string, mixed> */
        public static function decode(string $rawBody): array
        {
            $decoded = json_decode($rawBody, true);

            /** @var array<string, mixed> */
            return is_array($decoded) ? $decoded : [];
        }

        private static function uuid(): string
        {
            $bytes = random_bytes(16);
            $bytes[6] = chr((ord($bytes[6]) & 0x0f) | 0x40);
            $bytes[8] = chr((ord($bytes[8]) & 0x3f) | 0x80);

            return vsprintf('%s%s-%s-%s-%s-%s%s%s', str_split(bin2hex($bytes), 4));
        }
    }
}

namespace BabelQueue\Consume {
    use BabelQueue\Contracts\ConsumedMessage;
    use BabelQueue\Exceptions\UnknownUrnException;

    final class Dispatcher
    {
        /** @var array<string, callable(ConsumedMessage): void> */
        private array $handlers = [];

        /** @param callable(ConsumedMessage): void $handler */
        public function on(string $urn, callable $handler): self
        {
            $this->handlers[$urn] = $handler;

            return $this;
        }

        public function __invoke(ConsumedMessage $message): void
        {
            $handler = $this->handlers[$message->getUrn()] ?? throw new UnknownUrnException($message->getUrn());
            $handler($message);
        }
    }
}

namespace BabelQueue\Transport {
    use BabelQueue\Codec\EnvelopeCodec;
    use BabelQueue\Contracts\ConsumedMessage;

    /** A message as the SDK's consumers have it; those of Pulsar and Kafka also have its body. */
    class Received implements ConsumedMessage
    {
        /** @var array<string, mixed> */
        private readonly array $envelope;

        public function __construct(string $body)
        {
            $this->envelope = EnvelopeCodec::decode($body);
        }

        public function getUrn(): string
        {
            return is_string($this->envelope['job'] ?? null) ? $this->envelope['job'] : '';
        }

        public function getTraceId(): string
        {
            return is_string($this->envelope['trace_id'] ?? null) ? $this->envelope['trace_id'] : '';
        }

        public function getData(): array
        {
            /** @var array<string, mixed> */
            return is_array($this->envelope['data'] ?? null) ? $this->envelope['data'] : [];
        }

        public function getMeta(): array
        {
            /** @var array<string, mixed> */
            return is_array($this->envelope['meta'] ?? null) ? $this->envelope['meta'] : [];
        }

        public function attempts(): int
        {
            return is_int($this->envelope['attempts'] ?? null) ? $this->envelope['attempts'] : 0;
        }

        public function envelope(): array
        {
            return $this->envelope;
        }
    }

    final class ReceivedWithBody extends Received implements \BabelQueue\Contracts\HasRawBody
    {
        public function __construct(private readonly string $body)
        {
            parent::__construct($body);
        }

        public function rawBody(): ?string
        {
            return $this->body;
        }
    }

    /** Keeps what is sent, in place of a broker. */
    final class InMemoryTransport implements \BabelQueue\Contracts\Transport
    {
        /** @var array<string, list<string>> */
        public array $queues = [];

        public function publish(string $payload, ?string $queue = null): ?string
        {
            $this->queues[$queue ?? 'default'][] = $payload;

            return null;
        }
    }
}
