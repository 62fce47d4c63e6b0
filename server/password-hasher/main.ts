/**
 * The password hasher: a process next to the gateway that computes scrypt, so that no thread that
 * serves requests does. Contract §3, "Passwords". It listens on a socket in a folder of its own, knows
 * no accounts and keeps nothing, and ends with the process that started it.
 */
import { scrypt } from 'node:crypto';
import { rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { AT_ONCE, answerDerivation, type Derivation, WAITING_MAX } from '../../proto/derivation.ts';
import { FairQueue } from '../../proto/fair-queue.ts';
import { logFault, standAside } from '../side-process.ts';

const [, , socket = ''] = process.argv;
const line = new FairQueue({ atOnce: AT_ONCE, waiting: WAITING_MAX });
const compute = promisify<Buffer, Buffer, number, object, Buffer>(scrypt);

standAside();
process.on('uncaughtException', fail);
process.stdin.on('end', end).on('error', end).resume();
rmSync(socket, { force: true });
createServer((request, response) => {
  answer(request, response).catch(() => response.destroy());
}).listen(socket, () => process.stdout.write('ready\n'));

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const { status, key } = await answerDerivation(line, await text(request), gone.signal, derive);
  response.writeHead(status).end(key);
}

async function derive({ password, salt, ln, r, p, length }: Derivation) {
  const N = 2 ** ln;
  const bytes = (encoded: string) => Buffer.from(encoded, 'base64url');
  // 128·N·r bytes is what the algorithm needs; the default refuses exactly that.
  const options = { N, r, p, maxmem: 128 * N * r + 128 * r * p + 1024 ** 2 };
  return new Uint8Array(await compute(bytes(password), bytes(salt), length, options));
}

function fail(thrown: Error): never {
  logFault('password-hasher', 'password hasher failed', 'fatal', thrown);
  process.exit(1);
}

/** At once: no client waits for queued hashes any more. */
function end(): never {
  rmSync(dirname(socket), { recursive: true, force: true });
  process.exit(0);
}
