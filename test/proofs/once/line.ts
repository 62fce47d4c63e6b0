/** A way to a database on which something strikes at a named point of one write. */
import type { Socket } from 'node:net';
import { Carrier } from '../../servers/carrier.ts';

/** Points at which the reply of a write is lost. */
export const POINTS = ['before sending', 'after the effect', 'before the answer'] as const;
export type Point = (typeof POINTS)[number];

/** What is to happen. */
interface Aim {
  /** Which the write's own bytes have in them. */
  readonly name: string;
  readonly point: Point;
  /** Called before the connection is cut. */
  strike(): void;
}

/** Carries connections to a server of this machine. */
export class Line {
  /** What tells the server to let the effect stand. */
  readonly #commit: RegExp;
  #carrier: Carrier | undefined;
  #aim: Aim | undefined;

  private constructor(commit: RegExp) {
    this.#commit = commit;
  }

  static async open(to: string, commit: RegExp): Promise<Line> {
    const line = new Line(commit);
    line.#carrier = await Carrier.open(to, (client, server) => line.#carry(client, server));
    return line;
  }

  /** The server's URL by way of the line. */
  get url(): string {
    return this.#carrier?.url ?? '';
  }

  /** Strikes once, at the next write of that name. */
  aim(aim: Aim): void {
    this.#aim = aim;
  }

  close(): void {
    this.#carrier?.close();
  }

  #carry(client: Socket, server: Socket): void {
    const end = (): void => {
      client.destroy();
      server.destroy();
    };
    let aim: Aim | undefined;
    let isCommitted = false;
    client.on('data', (bytes: Buffer) => {
      const text = bytes.toString('latin1');
      if (this.#aim && text.includes(this.#aim.name)) {
        aim = this.#aim;
        this.#aim = undefined;
      }
      if (aim?.point === 'before sending') {
        aim.strike();
        return end();
      }
      if (aim && this.#commit.test(text)) isCommitted = true;
      server.write(bytes);
    });
    server.on('data', (bytes: Buffer) => {
      if (!aim || !isCommitted) return void client.write(bytes);
      const { point, strike } = aim;
      aim = undefined;
      if (point === 'after the effect') {
        strike();
        return end();
      }
      // The relay has it, and its own answer is on its way at best.
      client.write(bytes, () => {
        strike();
        end();
      });
    });
  }
}
