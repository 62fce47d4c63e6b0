/** Whatever `Host` and target say, a request is answered by its own path or refused. */
import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { type Gateway, sharedGateway, startGateway } from '../../gateway.ts';
import { newOrganization } from '../../organization.ts';
import type { Proof, ProofOptions, ProofResult } from '../proof.ts';
import { nextRequest, randomFrom, type Sent } from './requests.ts';

/** Each answers always the same, and none as another. */
const PAGES = ['/healthz', '/docs', '/api/v1/help', '/api/v1/endpoints', '/api/v1/templates'];
const AT_ONCE = 8;
const SILENCE_MAX_MS = 20_000;

/** A gateway, its pages by the digest of what they answer, and a token for them. */
interface Way {
  readonly name: string;
  readonly gateway: Gateway;
  readonly token: string;
  readonly pages: ReadonlyMap<string, string>;
}

interface Answer {
  /** 0: the connection was closed without a reply. */
  readonly status: number;
  readonly text: string;
}

/** Both ways in which `npm start` listens: the runtime's own socket, and the front before it. */
export const proof: Proof = {
  promise: 'Whatever Host and target say, the path of the first line answers, or 400.',
  count: 20_000,
  async run(options) {
    const beyond = await startGateway({ args: ['--host', '0.0.0.0'] });
    try {
      const ways = [
        await wayOf('socket', await sharedGateway()),
        await wayOf('front', beyond),
      ] as const;
      return await runAll(options, ways);
    } finally {
      await beyond.stop();
    }
  },
};

async function wayOf(name: string, gateway: Gateway): Promise<Way> {
  const { token } = await newOrganization(gateway);
  const pages = new Map<string, string>();
  for (const path of PAGES) {
    const answer = await send({ gateway, token }, `GET ${path} HTTP/1.1\r\nHost: a`);
    if (answer.status !== 200) throw new Error(`${path} answers ${answer.status}`);
    pages.set(digestOf(answer), path);
  }
  if (pages.size !== PAGES.length) throw new Error('Two pages answer the same');
  return { name, gateway, token, pages };
}

async function runAll(options: ProofOptions, ways: readonly Way[]): Promise<ProofResult> {
  const random = randomFrom(options.seed);
  const faults: string[] = [];
  const figures: Record<string, number> = {};
  let cases = 0;
  const worker = async () => {
    for (let at = cases++; at < options.count; at = cases++) {
      const way = ways[at % ways.length] as Way; // There are two.
      const sent = nextRequest(random, [...way.pages.values()]);
      const answer = await send(way, sent.head);
      const fault = faultOf(way, sent, answer);
      if (fault) faults.push(`${way.name}: ${JSON.stringify(sent.head)}: ${fault}`);
      const figure = `${way.name} ${answer.status}`;
      figures[figure] = (figures[figure] ?? 0) + 1;
      if (at % 5_000 === 4_999) options.progress(`${at + 1} requests`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return {
    cases: options.count,
    faults,
    figures: Object.fromEntries(Object.entries(figures).sort()),
  };
}

/** What breaks the promise; undefined when nothing does. */
function faultOf(way: Way, sent: Sent, answer: Answer): string | undefined {
  const own = sent.path === undefined ? undefined : decoded(sent.path);
  if (answer.status === 200) {
    // A HEAD is told by only its status.
    const page = sent.method === 'HEAD' ? own : way.pages.get(digestOf(answer));
    return page !== undefined && page === own ? undefined : `${page ?? 'an unknown page'} answers`;
  }
  if (sent.isPlain) return `its page answers ${answer.status}`;
  return isRefusal(sent, own, answer) ? undefined : `${answer.status} ${answer.text.slice(0, 200)}`;
}

/** Whether a reply says only that the request is none, or that there is nothing at its own path. */
function isRefusal({ method }: Sent, own: string | undefined, { status, text }: Answer): boolean {
  switch (status) {
    case 0:
    case 400:
      return true;
    case 401:
    case 403:
      return isOfApi(own);
    case 404:
      return isNothingAt(own, text);
    case 405:
      return own !== undefined;
    // Of the runtime itself: it knows no other methods, and no tunnels.
    case 500:
      return method === 'CONNECT';
    default:
      return status === 501;
  }
}

function isNothingAt(own: string | undefined, text: string): boolean {
  const told =
    /"message":"There is nothing at ((?:[^"\\]|\\.)*): (?:see \/docs|did you mean (?:[^"\\]|\\.)*)"/.exec(
      text,
    )?.[1];
  // A HEAD is told nothing.
  if (told === undefined) return text === '' || isOfApi(own);
  return JSON.parse(`"${told}"`) === (own ?? '/');
}

function isOfApi(path: string | undefined): boolean {
  return path?.startsWith('/api/v1/') ?? false;
}

/** As the application reads paths. */
function decoded(path: string): string {
  return path.replaceAll(/(?:%[\da-f]{2})+/gi, (match) => {
    try {
      return decodeURI(match.replaceAll('%25', '%2525'));
    } catch {
      return match;
    }
  });
}

function digestOf({ text }: Answer): string {
  return createHash('sha256').update(text).digest('base64');
}

function send({ gateway, token }: Pick<Way, 'gateway' | 'token'>, head: string): Promise<Answer> {
  const { hostname, port } = new URL(gateway.url);
  const rest = `\r\nAuthorization: Bearer ${token}\r\nX-Request-Id: proof\r\nConnection: close\r\n\r\n`;
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    const pieces: Buffer[] = [];
    const end = () => {
      socket.destroy();
      resolve(read(Buffer.concat(pieces)));
    };
    socket.setTimeout(SILENCE_MAX_MS, () => {
      socket.destroy();
      reject(new Error(`No reply to ${JSON.stringify(head)}`));
    });
    socket.on('data', (piece) => pieces.push(piece));
    socket.on('end', end);
    socket.on('error', end);
    socket.write(Buffer.from(head + rest, 'latin1'));
  });
}

/** A chunked body is as much a digest of itself as another. */
function read(bytes: Buffer): Answer {
  const whole = bytes.toString('latin1');
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(whole)?.[1] ?? 0);
  return { status, text: whole.slice(whole.indexOf('\r\n\r\n') + 4) };
}
