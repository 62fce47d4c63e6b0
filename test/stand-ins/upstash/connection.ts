/** Plain connections to the Redis server behind the stand-in, in RESP2. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { commandBytes, isError, Resp2Reader, type Resp2Reply } from './resp2.ts';

/** One word of a command. */
export type Word = string | Buffer;

/** One connection; replies come in the order of the commands. */
class RedisConnection {
  readonly #socket: Socket;
  readonly #reader = new Resp2Reader();
  readonly #waiting: { resolve(reply: Resp2Reply): void; reject(cause: Error): void }[] = [];
  /** Takes replies that nobody waits for: what a subscription is told. */
  onMessage: ((reply: Resp2Reply) => void) | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay();
    socket.on('data', (chunk: Buffer) => {
      for (const reply of this.#reader.feed(chunk)) {
        const next = this.#waiting.shift();
        if (next) next.resolve(reply);
        else this.onMessage?.(reply);
      }
    });
    const lose = () => {
      for (const each of this.#waiting.splice(0)) each.reject(new Error('Redis went away'));
    };
    socket.on('error', lose);
    socket.on('close', lose);
  }

  /** @param url `redis://[user:password@]host:port` */
  static async open(url: string): Promise<RedisConnection> {
    const { hostname, port, username, password } = new URL(url);
    const socket = connect(Number(port || 6379), hostname);
    await once(socket, 'connect');
    const connection = new RedisConnection(socket);
    if (password !== '') {
      const [reply] = await connection.send([['AUTH', username || 'default', password]]);
      if (reply === undefined || isError(reply.value)) throw new Error('Redis took no password');
    }
    return connection;
  }

  /** Sends commands in one write. */
  send(commands: readonly (readonly Word[])[]): Promise<Resp2Reply[]> {
    const replies = commands.map(
      () =>
        new Promise<Resp2Reply>((resolve, reject) => {
          this.#waiting.push({ resolve, reject });
        }),
    );
    this.#socket.write(Buffer.concat(commands.map(commandBytes)));
    return Promise.all(replies);
  }

  close(): void {
    this.#socket.destroy();
  }
}

/** Connections that requests share one after another. */
export class RedisConnections {
  readonly #url: string;
  readonly #idle: RedisConnection[] = [];
  readonly #open = new Set<RedisConnection>();

  constructor(url: string) {
    this.#url = url;
  }

  /** Sends commands on a connection that nobody else has meanwhile. */
  async send(commands: readonly (readonly Word[])[]): Promise<Resp2Reply[]> {
    const connection = this.#idle.pop() ?? (await this.own());
    const replies = await connection.send(commands);
    this.#idle.push(connection);
    return replies;
  }

  /** A connection for the caller, until `leave`. */
  async own(): Promise<RedisConnection> {
    const connection = await RedisConnection.open(this.#url);
    this.#open.add(connection);
    return connection;
  }

  leave(connection: RedisConnection): void {
    this.#open.delete(connection);
    connection.close();
  }

  close(): void {
    for (const each of this.#open) each.close();
  }
}
