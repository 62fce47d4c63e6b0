/** Records what a real server answers: a relay calls it through a proxy that writes everything down. */
import { connect, createServer, type Socket } from 'node:net';
import type { HostileKind, KindCall, RealServer, Turn } from './kind.ts';
import { keyOf } from './player.ts';
import type { Answer, TestedRelay } from './relay.ts';

/** A call, how its server answered, and what came of it. */
export interface Recording {
  readonly call: KindCall;
  readonly connections: readonly (readonly Turn[])[];
  /** What the relay answers when nothing is changed. */
  readonly answer: Answer;
  /** Milliseconds that its second call took: what this machine takes just now. */
  readonly took: number;
}

/** Nobody waits for it. */
const CALL_MS = 30_000;

/** Records one call of a kind. @throws Error when it fails, or answers otherwise the second time */
export async function record(
  kind: HostileKind,
  server: RealServer,
  relay: TestedRelay,
  call: KindCall,
): Promise<Recording> {
  const proxy = await startProxy(kind, server);
  const endpoint = await relay.endpoint(kind.kind, {
    connection: server.connection('127.0.0.1', proxy.port),
    settings: server.settings ?? {},
  });
  try {
    const answer = await endpoint.call(call, CALL_MS);
    const first = proxy.turns();
    const started = performance.now();
    const again = await endpoint.call(call, CALL_MS);
    const took = performance.now() - started;
    const all = proxy.turns();
    if (answer.failure !== call.fails) {
      throw new Error(`${call.name}: ${answer.failure}: ${answer.message}`);
    }
    if (answer.text !== again.text) throw new Error(`${call.name} answers otherwise each time`);
    const connections = staged(kind, call, first, all);
    return { call, connections: kind.edit?.(connections) ?? connections, answer, took };
  } finally {
    await endpoint.release();
    proxy.stop();
  }
}

/** What the second call asks again is the call's own; the rest is how a pool begins. */
function staged(kind: HostileKind, { method }: KindCall, first: Turn[][], all: Turn[][]): Turn[][] {
  const { framing } = kind;
  const later = all.flatMap((turns, at) => turns.slice(first[at]?.length ?? 0));
  const own = new Set(later.map(({ sent }) => keyOf(framing, sent)));
  const stage = method === 'run' ? 'query' : 'stream';
  for (const turn of first.flat()) {
    if (turn.sent.length > 0 && own.has(keyOf(framing, turn.sent))) turn.stage = stage;
  }
  return first;
}

interface Recorded {
  sent: Buffer;
  pieces: Buffer[];
}

async function startProxy({ framing }: HostileKind, { host, port }: RealServer) {
  const connections: Recorded[][] = [];
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const turns: Recorded[] = [];
    connections.push(turns);
    const upstream = connect(port, host);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay(true).on('error', () => {});
    }
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
    let waiting = Buffer.alloc(0);
    client.on('data', (piece: Buffer) => {
      waiting = Buffer.concat([waiting, piece]);
      for (;;) {
        const end = framing.turnEnd ? framing.turnEnd(waiting, sentNothing(turns)) : waiting.length;
        if (end === 0) break;
        turns.push({ sent: Buffer.from(waiting.subarray(0, end)), pieces: [] });
        waiting = waiting.subarray(end);
      }
      upstream.write(piece);
    });
    upstream.on('data', (piece: Buffer) => {
      if (turns.length === 0) turns.push({ sent: Buffer.alloc(0), pieces: [] });
      turns.at(-1)?.pieces.push(Buffer.from(piece));
      client.write(piece);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    /** All so far. */
    turns: (): Turn[][] =>
      connections.map((turns) =>
        turns.map(({ sent, pieces }) => ({ sent, reply: messagesOf(pieces), stage: 'login' })),
      ),
    stop() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
  function messagesOf(pieces: Buffer[]): Buffer[] {
    return framing.messages && pieces.length > 0 ? framing.messages(Buffer.concat(pieces)) : pieces;
  }
}

function sentNothing(turns: readonly Recorded[]): boolean {
  return turns.every(({ sent }) => sent.length === 0);
}
