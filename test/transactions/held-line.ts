/** A way to a database on which the commit of a write is held at a named point, and cut there. */
import type { Socket } from 'node:net';
import type { Point } from '../proofs/once/line.ts';
import { Carrier } from '../servers/carrier.ts';

/** A commit that is held. */
interface Held {
  /** Lets through what the point does, and ends all connections. */
  cut(): void;
}

interface Aim {
  readonly name: string;
  readonly point: Point;
  readonly reached: (held: Held) => void;
  /** The write of that name was seen: the next commit is its own. */
  isNamed: boolean;
}

/** Carries connections to a server of this machine. */
export class HeldLine {
  readonly #commit: RegExp;
  #carrier: Carrier | undefined;
  #aim: Aim | undefined;

  private constructor(commit: RegExp) {
    this.#commit = commit;
  }

  /** @param commit what tells the server to let the effect stand */
  static async open(to: string, commit: RegExp): Promise<HeldLine> {
    const line = new HeldLine(commit);
    line.#carrier = await Carrier.open(to, (client, server) => line.#carry(client, server));
    return line;
  }

  /** The server's URL by way of the line. */
  get url(): string {
    return this.#carrier?.url ?? '';
  }

  /** Holds the commit of the next write that has the name in its bytes. */
  hold(name: string, point: Point): Promise<Held> {
    const { promise, resolve } = Promise.withResolvers<Held>();
    this.#aim = { name, point, reached: resolve, isNamed: false };
    return promise;
  }

  close(): void {
    this.#carrier?.close();
  }

  #end(): void {
    this.#carrier?.cut();
  }

  #carry(client: Socket, server: Socket): void {
    let held: Aim | undefined;
    client.on('data', (bytes: Buffer) => {
      const aim = this.#aimedAt(bytes.toString('latin1'));
      if (aim === undefined) return void server.write(bytes);
      this.#aim = undefined;
      if (aim.point === 'before sending') return aim.reached({ cut: () => this.#end() });
      held = aim;
      return void server.write(bytes);
    });
    server.on('data', (bytes: Buffer) => {
      const aim = held;
      if (aim === undefined) return void client.write(bytes);
      held = undefined;
      const cut = () => {
        if (aim.point === 'before the answer') client.write(bytes, () => this.#end());
        else this.#end();
      };
      return aim.reached({ cut });
    });
  }

  #aimedAt(text: string): Aim | undefined {
    const aim = this.#aim;
    if (aim === undefined) return undefined;
    aim.isNamed ||= text.includes(aim.name);
    return aim.isNamed && this.#commit.test(text) ? aim : undefined;
  }
}
