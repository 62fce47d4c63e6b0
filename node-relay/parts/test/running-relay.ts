/** A relay with its parts as processes, a backend over HTTP, and ways to end a part. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PART_HEADER, partOf } from '../../../proto/parts.ts';
import { callToken, clientOf, failureOf, makeKeys, seal } from '../../test/relay.ts';
import { socketIn } from '../places.ts';

const MAIN = join(import.meta.dirname, '../../main.ts');
const FAULT = join(import.meta.dirname, 'fault.ts');
const PARTS = 2;
/** Of processor time, after which `slowness` knows. */
const SAMPLE_MS = 100;
/** Longer than a busy machine takes for any test. */
const TOKEN_S = 3600;

interface LogLine {
  readonly message: string;
  readonly part?: string;
  readonly pid?: number;
  readonly how?: string;
  readonly node?: string;
  readonly port?: number;
}

/** A UUID whose calls the part of that index serves. */
export function keyFor(part: number): string {
  for (;;) {
    const key = crypto.randomUUID();
    if (partOf(key, PARTS) === part) return key;
  }
}

/** Starts a relay of two parts and its backend. */
export async function startParts(env: Readonly<Record<string, string>> = {}) {
  const [keys, backend, folder] = await Promise.all([
    makeKeys(),
    startBackend(),
    mkdtemp(join(tmpdir(), 'parts-')),
  ]);
  const faultFile = join(folder, 'fault');
  const child = spawnRelay(folder, faultFile, {
    RELAY_NODE_KEY: JSON.stringify(keys.nodePrivate),
    GATEWAY_PUBLIC_KEY: JSON.stringify(keys.gatewayPublic),
    ...env,
  });
  const lines = readLines(child);
  const ready = await until(() => lines.find(({ message }) => message === 'relay ready'));
  const baseUrl = `http://127.0.0.1:${ready.port}`;
  const token = await callToken(keys, ready.node ?? '', { lifeS: TOKEN_S });
  const client = clientOf(baseUrl, token);
  const sealed = await seal(keys.nodePublic, { connection: { url: backend.url } });

  /** Asks the backend for a path, as calls of the key do. */
  async function get(key: string, path = '/now', endpoint = key): Promise<string> {
    const { result } = await client.run(requestOf({ key, endpoint, path }, sealed), ofKey(key));
    return new TextDecoder().decode(result);
  }

  return {
    pid: child.pid ?? 0,
    child,
    client,
    baseUrl,
    backend,
    lines,
    get,
    /** How the call ends. */
    outcome: (key: string, path?: string, endpoint?: string) =>
      failureOf(get(key, path, endpoint)).catch(() => 'answered'),
    /** The outcome of a call that is sent to the socket of a part, as a gateway next to it does. */
    atSocket: (part: string, key: string) =>
      failureOf(clientOf(baseUrl, token, socketIn(folder, part)).status({}, ofKey(key))).catch(
        () => 'answered',
      ),
    /** The process that is the part now. */
    pidOf: (part: string) =>
      lines.findLast((line) => line.message === 'relay part ready' && line.part === part)?.pid ?? 0,
    /** Has the process do it from now on. */
    fault(pid: number, what: 'spin' | 'hold' | 'throw') {
      writeFileSync(faultFile, what);
      process.kill(pid, 'SIGUSR2');
    },
    async stop(signal: NodeJS.Signals = 'SIGTERM') {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill(signal);
        await once(child, 'exit');
      }
      backend.server.closeAllConnections();
      backend.server.close();
      await rm(folder, { recursive: true, force: true });
      return { code: child.exitCode };
    },
  };
}
export type RunningParts = Awaited<ReturnType<typeof startParts>>;

/** What says whose call it is. */
const ofKey = (key: string) => ({ headers: { [PART_HEADER]: key } });

interface Asked {
  readonly key: string;
  readonly endpoint: string;
  readonly path: string;
}

function requestOf({ key, endpoint, path }: Asked, sealedConnection: string) {
  const target = {
    kind: 'http',
    organization: key,
    endpoint,
    poolKey: `${endpoint}:1:read:production`,
    mode: 'read',
    profile: 'production',
    sealedConnection,
  };
  const request = JSON.stringify({ type: 'request', method: 'GET', path });
  return { target, request: new TextEncoder().encode(request) };
}

function spawnRelay(folder: string, faultFile: string, env: Readonly<Record<string, string>>) {
  return spawn(process.execPath, [MAIN, '--port', '0'], {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: join(tmpdir(), 'causeway-parts-compiled'),
      NODE_OPTIONS: `--import=${FAULT}`,
      PART_FAULT: faultFile,
      HTTP_ALLOW_PRIVATE: 'true',
      RELAY_PARTS: String(PARTS),
      RELAY_SOCKETS: folder,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** What comes of `/large`, in bytes; the rest of it never does. */
const LARGE = { length: 9_000_000, sent: 8_000_000 };

/** Answers at once, except for `/held`, which answers when it is told to, and `/large`, which does not end. */
async function startBackend() {
  const held: (() => void)[] = [];
  const server: Server = createServer((request, response) => {
    const answer = (): unknown => response.end('"answered"');
    response.setHeader('Content-Type', 'application/json');
    if (request.url === '/held') held.push(answer);
    else if (request.url === '/large') {
      response.setHeader('Content-Length', LARGE.length).write(Buffer.alloc(LARGE.sent, 1));
    } else answer();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // It listens on a port.
  return {
    server,
    url: `http://127.0.0.1:${port}`,
    held: () => held.length,
    release() {
      for (const answer of held.splice(0)) answer();
    },
  };
}

function readLines(child: ChildProcess): LogLine[] {
  const lines: LogLine[] = [];
  let rest = '';
  child.stdout?.on('data', (piece: Buffer) => {
    const [last = '', ...whole] = (rest + piece.toString()).split('\n').reverse();
    rest = last;
    for (const line of whole.reverse()) {
      if (line.startsWith('{')) lines.push(JSON.parse(line));
    }
  });
  return lines;
}

/** What there is as soon as it is there. @throws Error after 50 s */
export async function until<Value>(look: () => Value | undefined | Promise<Value | undefined>) {
  const end = performance.now() + 50_000;
  for (;;) {
    const value = await look();
    if (value !== undefined && value !== false) return value;
    if (performance.now() > end) throw new Error('It did not come about');
    await sleep(20);
  }
}

/** Whether a process runs; one that has ended and was not yet counted does not. */
export function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** How many times as long as on an idle machine a process takes now for what it does; at least 1. */
export function slowness(): number {
  const started = performance.now();
  const before = process.threadCpuUsage();
  for (;;) {
    const { user, system } = process.threadCpuUsage(before);
    const usedMs = (user + system) / 1000;
    if (usedMs >= SAMPLE_MS) return Math.max(1, (performance.now() - started) / usedMs);
  }
}
