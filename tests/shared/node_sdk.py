"""The surface of BabelQueue's Node SDK, as far as a service on Redis touches it, and a stand-in that works.

No index of packages has ``@babelqueue/redis``. The stand-in has its surface, writes the same envelopes, and sends the same
commands (RPUSH, BRPOPLPUSH, LREM) through a client that speaks Redis's protocol itself.
"""

from __future__ import annotations

__all__ = ["STAND_IN", "TYPES"]

TYPES = """
export interface Envelope {
  job: string; trace_id: string; data: Record<string, unknown>;
  meta: { id: string; queue: string; lang: string; schema_version: number; created_at: number };
  attempts: number;
  dead_letter?: { reason: string; error: string | null; exception: string | null; failed_at: number;
    original_queue: string; attempts: number; lang: string };
}
export interface RedisClient {
  rpush(key: string, value: string): Promise<number>;
  brpoplpush(source: string, destination: string, timeout: number): Promise<string | null>;
  lrem(key: string, count: number, value: string): Promise<number>;
}
export type BabelHandler = (envelope: Envelope, raw: string) => unknown | Promise<unknown>;
export type BabelHandlers = Record<string, BabelHandler>;
export declare class RedisPublisher {
  static create(client: RedisClient, queue: string): RedisPublisher;
  publish(urn: string, data: Record<string, unknown>, options?: { traceId?: string }): Promise<string>;
}
export declare class RedisConsumer {
  constructor(client: RedisClient, queue: string, handlers: BabelHandlers, options?: { maxTries?: number });
  run(shouldContinue: () => boolean): Promise<void>;
}
"""

STAND_IN = """
import { connect } from "node:net";
import { randomUUID } from "node:crypto";

export class Redis {
  #waiting = [];
  #received = Buffer.alloc(0);
  constructor(url) {
    const { hostname, port } = new URL(url);
    this.socket = connect(Number(port), hostname);
    this.socket.on("data", (chunk) => { this.#received = Buffer.concat([this.#received, chunk]); this.#settle(); });
  }
  #settle() {
    for (let end; (end = this.#received.indexOf("\\r\\n")) >= 0; ) {
      const line = this.#received.toString("utf8", 0, end);
      let reply = line[0] === ":" ? Number(line.slice(1)) : line.slice(1), used = end + 2;
      if (line[0] === "$" && line !== "$-1") {
        const size = Number(line.slice(1));
        if (this.#received.length < used + size + 2) return;
        reply = this.#received.toString("utf8", used, used + size);
        used += size + 2;
      } else if (line[0] === "$" || line === "*-1") reply = null;
      this.#received = this.#received.subarray(used);
      const { resolve, reject } = this.#waiting.shift();
      line[0] === "-" ? reject(new Error(line)) : resolve(reply);
    }
  }
  #command(...words) {
    const parts = words.map((word) => `$${Buffer.byteLength(String(word))}\\r\\n${word}\\r\\n`);
    this.socket.write(`*${words.length}\\r\\n${parts.join("")}`);
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }
  rpush(key, value) { return this.#command("RPUSH", key, value); }
  lpush(key, value) { return this.#command("LPUSH", key, value); }
  brpoplpush(source, destination, timeout) { return this.#command("BLMOVE", source, destination, "LEFT", "RIGHT", timeout); }
  lrem(key, count, value) { return this.#command("LREM", key, count, value); }
  quit() { this.socket.end(); }
}

export class RedisPublisher {
  constructor(client, queue) { Object.assign(this, { client, queue }); }
  static create(client, queue) { return new RedisPublisher(client, queue); }
  async publish(urn, data, options = {}) {
    const meta = { id: randomUUID(), queue: this.queue, lang: "node", schema_version: 1, created_at: Date.now() };
    const envelope = { job: urn, trace_id: options.traceId ?? randomUUID(), data, meta, attempts: 0 };
    await this.client.rpush(this.queue, JSON.stringify(envelope));
    return meta.id;
  }
}

export class RedisConsumer {
  constructor(client, queue, handlers, options = {}) { Object.assign(this, { client, queue, handlers, options }); }
  async run(shouldContinue) {
    while (shouldContinue()) {
      const raw = await this.client.brpoplpush(this.queue, `${this.queue}:processing`, 1);
      if (raw === null) continue;
      const envelope = JSON.parse(raw);
      try {
        await this.handlers[envelope.job](envelope, raw);
      } catch (error) {
        const attempts = envelope.attempts + 1;
        const [reason, at] = ["failed", { error: String(error), exception: null, failed_at: Date.now(), lang: "node" }];
        const dead = { reason, ...at, original_queue: this.queue, attempts };
        await this.client.rpush(`${this.queue}:dlq`, JSON.stringify({ ...envelope, attempts, dead_letter: dead }));
      }
      await this.client.lrem(`${this.queue}:processing`, 1, raw);
    }
  }
}
"""
