/** The master that sentinels name, and its replicas. Source: redis.io/docs/latest/develop/reference/sentinel-clients. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { RedisCommand } from '../../../kinds/redis/command.ts';
import { ReplyError, ReplyMap, type ReplyValue } from '../../../kinds/redis/reply-value.ts';
import { GatewayError } from '../../../proto/errors.ts';
import type { Host } from '../driver.ts';
import { type Connection, connect } from './connection.ts';
import type { BorrowedLink, RedisServer, SendBounds } from './link.ts';
import { isUnreached, LoginRefused } from './login.ts';
import { Node } from './node.ts';
import type { Address, Settings } from './settings.ts';

/** Milliseconds that one sentinel may take. Spec silent. */
const ASK_MS = 2_000;
const ANSWER_MAX = 1_048_576;
/** Milliseconds that a failover is waited for. Spec silent. */
const PATIENCE_MS = 10_000;
const PAUSE_MS = 100;

type Role = 'master' | 'slave';

/** Follows a master from server to server. Sentinels are asked whenever a connection is made. */
export class SentinelServer implements RedisServer {
  readonly #settings: Settings;
  readonly #host: Host;
  /** As configured; the one that answered last is first. */
  #sentinels: readonly Address[];
  #master: Node;
  readonly #replica: Node | undefined;
  readonly #closing = new Set<Promise<void>>();

  constructor(settings: Settings, host: Host) {
    this.#settings = settings;
    this.#host = host;
    this.#sentinels = settings.addresses;
    this.#master = this.#nodeOf('master');
    this.#replica = settings.fromReplicas ? this.#nodeOf('slave') : undefined;
  }

  async send(
    commands: readonly RedisCommand[],
    sending: SendBounds,
  ): Promise<readonly ReplyValue[]> {
    if (this.#replica && sending.mode === 'read') return this.#replica.send(commands, sending);
    const asked = this.#master;
    const replies = await asked.send(commands, sending);
    const refused = replies.flatMap((reply, index) => (isReadOnly(reply) ? [index] : []));
    if (refused.length === 0) return replies;
    this.#demoted(asked);
    // What a server refuses because it is no master any more, it has not done.
    const open = refused.map((index) => commands[index]).filter((each) => each !== undefined);
    const again = await this.#master.send(open, sending).catch((error: unknown) => {
      throw open.length < commands.length && sending.mode === 'write' ? halfDone(error) : error;
    });
    return replies.map((reply, index) => {
      const place = refused.indexOf(index);
      return place < 0 ? reply : (again[place] ?? null);
    });
  }

  async borrow(_keys: readonly Uint8Array[], signal: AbortSignal): Promise<BorrowedLink> {
    return this.#master.borrow(signal);
  }

  async close(): Promise<void> {
    await Promise.all([this.#master.close(), this.#replica?.close(), ...this.#closing]);
  }

  /** The server was the master: its connections end, and the sentinels are asked for the next. */
  #demoted(node: Node): void {
    if (node !== this.#master) return;
    this.#master = this.#nodeOf('master');
    const closing = node.close().finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }

  #nodeOf(role: Role): Node {
    return new Node(this.#host, (signal) => this.#connect(role, signal));
  }

  /** A connection to a server that says itself that it has that role; a failover under way is waited for. */
  async #connect(role: Role, signal: AbortSignal): Promise<Connection> {
    const until = performance.now() + PATIENCE_MS;
    for (;;) {
      try {
        return await this.#tryConnect(role, signal);
      } catch (error) {
        const isPassing = error instanceof Passing && performance.now() < until;
        if (!isPassing) throw error instanceof Passing ? error.failure : error;
      }
      await sleep(PAUSE_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }

  async #tryConnect(role: Role, signal: AbortSignal): Promise<Connection> {
    const address = await this.#addressOf(role, signal);
    const connection = await connect(this.#host, address, this.#settings, signal).catch(
      (error: unknown) => {
        throw isUnreached(error) ? new Passing(error) : error;
      },
    );
    const said = await roleOf(connection, signal).catch(() => undefined);
    // A replica that could not be had is not worth waiting for where there is only the master.
    if (said === role || said === undefined || role === 'slave') return connection;
    void connection.close();
    throw new Passing(noMaster());
  }

  /** What the first sentinel that answers says. */
  async #addressOf(role: Role, signal: AbortSignal): Promise<Address> {
    let failure: unknown;
    for (const sentinel of this.#sentinels) {
      try {
        const address = await this.#ask(sentinel, role, signal);
        this.#sentinels = [sentinel, ...this.#sentinels.filter((each) => each !== sentinel)];
        return address;
      } catch (error) {
        signal.throwIfAborted();
        // One that answers says more than one that cannot be reached.
        if (failure === undefined || isUnreached(failure)) failure = error;
      }
    }
    throw failure;
  }

  async #ask(sentinel: Address, role: Role, signal: AbortSignal): Promise<Address> {
    const { settings, host } = { settings: this.#settings, host: this.#host };
    const visit = {
      ...settings,
      ...settings.sentinel,
      database: 0,
      connectTimeoutMs: Math.min(settings.connectTimeoutMs, ASK_MS),
    };
    const connection = await connect(host, sentinel, visit, signal);
    try {
      const say = (type: string) =>
        ask(connection, { type, args: [settings.master] }, AbortSignal.timeout(ASK_MS));
      const replica = role === 'slave' ? replicaIn(await say('sentinel replicas')) : undefined;
      const found = replica ?? addressIn(await say('sentinel get-master-addr-by-name'));
      if (found) return found;
      throw new LoginRefused('CONNECTION_FAILED', 'The sentinels know no master of that name');
    } finally {
      void connection.close();
    }
  }
}

/** What may be over in a moment. */
class Passing extends Error {
  readonly failure: unknown;
  constructor(failure: unknown) {
    super('not yet');
    this.failure = failure;
  }
}

async function ask(
  connection: Connection,
  command: RedisCommand,
  signal: AbortSignal,
): Promise<ReplyValue> {
  const [reply] = await connection.wire.send([command], {
    mode: 'read',
    signal,
    replyMaxBytes: ANSWER_MAX,
  });
  return reply ?? null;
}

/** What a server says about itself; undefined when it does not say. */
async function roleOf(connection: Connection, signal: AbortSignal): Promise<string | undefined> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(ASK_MS)]);
  const reply = await ask(connection, { type: 'role', args: [] }, limited);
  return Array.isArray(reply) ? stringIn(reply[0]) : undefined;
}

function isReadOnly(reply: ReplyValue): boolean {
  return reply instanceof ReplyError && reply.code === 'READONLY';
}

function addressIn(reply: ReplyValue): Address | undefined {
  if (!Array.isArray(reply)) return undefined;
  const [host, port] = reply.map(stringIn);
  return host && port ? { host, port: Number(port) } : undefined;
}

/** One of the replicas that the sentinel can reach, at random. */
function replicaIn(reply: ReplyValue): Address | undefined {
  if (!Array.isArray(reply)) return undefined;
  const replicas = reply.map(membersOf).filter((each) => isUp(each));
  const replica = replicas[Math.floor(Math.random() * replicas.length)];
  const [host, port] = [replica?.get('ip'), replica?.get('port')];
  return host && port ? { host, port: Number(port) } : undefined;
}

function isUp(replica: ReadonlyMap<string, string>): boolean {
  const isDown = /s_down|o_down|disconnected/.test(replica.get('flags') ?? '');
  return !isDown && replica.get('master-link-status') !== 'err';
}

/** Names and values, which RESP2 has by turns in a list. */
function membersOf(reply: ReplyValue): ReadonlyMap<string, string> {
  const items = reply instanceof ReplyMap ? reply.items : Array.isArray(reply) ? reply : [];
  const members = new Map<string, string>();
  for (let at = 0; at + 1 < items.length; at += 2)
    members.set(stringIn(items[at]), stringIn(items[at + 1]));
  return members;
}

function stringIn(value: ReplyValue | undefined): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  return typeof value === 'string' ? value : '';
}

function halfDone(cause: unknown): GatewayError {
  const message = 'The master was replaced when a part of the write was done';
  return new GatewayError('OUTCOME_UNKNOWN', message, { cause });
}

function noMaster(): GatewayError {
  return new GatewayError('CONNECTION_FAILED', 'The server that the sentinels name is no master');
}
