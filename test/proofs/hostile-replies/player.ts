/** A server on loopback that answers what a real one has answered, one turn of it changed. */
import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Framing, Turn } from './kind.ts';
import type { Hostile, Step } from './mutate.ts';

/** What is played. */
interface Play {
  readonly framing: Framing;
  /** Turns of each connection that was recorded, in order. */
  readonly connections: readonly (readonly Turn[])[];
  /** The turn that is answered otherwise, whenever it is asked. */
  readonly changed?: { readonly turn: Turn; readonly hostile: (reply: Buffer[]) => Hostile };
}

/** A server that plays. */
interface Player {
  readonly port: number;
  /** Whether the changed turn was asked. */
  readonly wasAsked: boolean;
  /** Hangs up and listens no more. */
  stop(): void;
}

/** Starts one. */
export async function startPlayer(play: Play): Promise<Player> {
  const sockets = new Set<Socket>();
  const told = { asked: false };
  let accepted = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => {});
    socket.setNoDelay(true);
    const last = play.connections.length - 1;
    const turns = play.connections[Math.min(accepted, last)] ?? [];
    accepted += 1;
    serve(socket, new Script(play, turns), play, told);
  });
  const port = await listening(server);
  return {
    port,
    get wasAsked() {
      return told.asked;
    },
    stop() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

function listening(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      if (address === null || typeof address === 'string') return reject(new Error('no port'));
      resolve(address.port);
    });
  });
}

/** What one connection is answered: by what was asked, else in the order of a recorded one. */
class Script {
  readonly #play: Play;
  readonly #turns: readonly Turn[];
  readonly #used = new Set<Turn>();
  #next = 0;

  constructor(play: Play, turns: readonly Turn[]) {
    this.#play = play;
    this.#turns = turns;
  }

  /** Where the server speaks first. */
  get greeting(): Turn | undefined {
    const [first] = this.#turns;
    return first?.sent.length === 0 ? this.#take(first) : undefined;
  }

  turnFor(asked: Buffer): Turn | Buffer | 'close' | undefined {
    const key = keyOf(this.#play.framing, asked);
    const same = [...this.#turns, ...this.#play.connections.flat()].filter(
      (turn) => turn.sent.length > 0 && keyOf(this.#play.framing, turn.sent) === key,
    );
    const found = same.find((turn) => !this.#used.has(turn)) ?? same.at(-1);
    if (found) return this.#take(found);
    const other = this.#play.framing.otherwise?.(asked);
    if (other !== undefined) return other;
    const next = this.#turns[this.#next];
    return next ? this.#take(next) : undefined;
  }

  #take(turn: Turn): Turn {
    this.#used.add(turn);
    const at = this.#turns.indexOf(turn);
    if (at >= 0) this.#next = at + 1;
    return turn;
  }
}

/** What names a turn. */
export function keyOf(framing: Framing, asked: Buffer): string {
  return framing.keyOf?.(asked) ?? asked.toString('latin1');
}

function serve(socket: Socket, script: Script, play: Play, told: { asked: boolean }): void {
  const { framing, changed } = play;
  let waiting = Buffer.alloc(0);
  let first = true;
  let speaking = Promise.resolve();
  const say = (steps: readonly Step[]) => {
    speaking = speaking.then(() => speak(socket, steps));
  };
  const answer = (turn: Turn, asked: Buffer) => {
    const reply = framing.adapt?.([...turn.reply], asked, turn.sent) ?? [...turn.reply];
    const isChanged = changed?.turn === turn;
    if (isChanged) told.asked = true;
    say(isChanged ? changed.hostile(reply).steps : [{ send: Buffer.concat(reply) }]);
  };
  const { greeting } = script;
  if (greeting) answer(greeting, Buffer.alloc(0));
  const take = (asked: Buffer) => {
    first = false;
    const turn = script.turnFor(asked);
    if (turn === 'close') say(['close']);
    else if (Buffer.isBuffer(turn)) say([{ send: turn }]);
    else if (turn) answer(turn, asked);
  };
  socket.on('data', (piece: Buffer) => {
    waiting = Buffer.concat([waiting, piece]);
    const endOf = () => (framing.turnEnd ? framing.turnEnd(waiting, first) : waiting.length);
    for (let end = endOf(); end > 0; end = endOf()) {
      const asked = waiting.subarray(0, end);
      waiting = waiting.subarray(end);
      take(asked);
    }
  });
}

async function speak(socket: Socket, steps: readonly Step[]): Promise<void> {
  for (const step of steps) {
    if (socket.destroyed) return;
    if (step === 'close') socket.end();
    else if (step === 'reset') socket.resetAndDestroy();
    else if (step === 'silent') await closed(socket);
    else if ('wait' in step) await sleep(step.wait);
    else if ('send' in step) socket.write(step.send);
    else await flood(socket, step);
  }
}

async function flood(socket: Socket, step: Extract<Step, { flood: Buffer }>): Promise<void> {
  for (let left = step.bytes; left > 0 && !socket.destroyed; left -= step.flood.length) {
    if (!socket.write(step.flood)) await drained(socket);
    if (step.every > 0) await sleep(step.every);
  }
}

function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      socket.off('drain', end).off('close', end);
      resolve();
    };
    socket.on('drain', end).on('close', end);
  });
}

function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.destroyed) resolve();
    else socket.once('close', () => resolve());
  });
}
