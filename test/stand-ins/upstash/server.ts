/**
 * Upstash's REST protocol in front of a real Redis server: for tests, where Upstash itself is not
 * available. Source: upstash.com/docs/redis/features/restapi.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { commandIn, commandOfPath, commandsIn, Refusal } from './commands.ts';
import { RedisConnections, type Word } from './connection.ts';
import { STREAMS, stream } from './events.ts';
import { envelopeOf } from './replies.ts';
import { isError, type Resp2Reply } from './resp2.ts';
import { type Rights, rightsOf } from './rights.ts';

/** A request that the stand-in got. */
interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** A running stand-in, on loopback. */
export interface UpstashStandIn {
  readonly url: string;
  /** May send any command that the vendor has. */
  readonly token: string;
  readonly readOnlyToken: string;
  /** All requests so far, oldest first. */
  readonly seen: readonly Seen[];
  /** What to do with the next request instead of answering it; `undefined` answers. */
  fault: ((response: ServerResponse) => void) | undefined;
  stop(): Promise<void>;
}

/** Starts one. @param redisUrl of the server behind it @param token any by default */
export async function startUpstash(
  redisUrl: string,
  token: string = randomUUID(),
): Promise<UpstashStandIn> {
  const connections = new RedisConnections(redisUrl);
  const rights = await rightsOf(connections);
  const readOnlyToken = randomUUID();
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    seen.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers });
    const { fault } = standIn;
    standIn.fault = undefined;
    if (fault) fault(response);
    else
      answer({ connections, rights, token, readOnlyToken }, request, response).catch(
        refuse(response),
      );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The stand-in got no port');
  const standIn: UpstashStandIn = {
    url: `http://127.0.0.1:${address.port}`,
    token,
    readOnlyToken,
    seen,
    fault: undefined,
    async stop() {
      connections.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return standIn;
}

interface Database {
  readonly connections: RedisConnections;
  readonly rights: Rights;
  readonly token: string;
  readonly readOnlyToken: string;
}

const UNAUTHORIZED = 'WRONGPASS invalid or missing auth token';
const METHODS = ['HEAD', 'GET', 'POST', 'PUT'];

function refuse(response: ServerResponse): (thrown: unknown) => void {
  return (thrown) => {
    const status = thrown instanceof Refusal ? thrown.status : 500;
    const error = thrown instanceof Error ? thrown.message : String(thrown);
    response.writeHead(status, JSON_TYPE).end(JSON.stringify({ error }));
  };
}

const JSON_TYPE = { 'Content-Type': 'application/json; charset=utf-8' };

async function answer(
  database: Database,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://upstash.invalid');
  if (!METHODS.includes(request.method ?? '')) {
    response.writeHead(405).end();
    return;
  }
  const presented = url.searchParams.get('_token') ?? bearerOf(request);
  if (presented !== database.token && presented !== database.readOnlyToken) {
    throw new Refusal(UNAUTHORIZED, 401);
  }
  const format = formatOf(request);
  const segments = url.pathname.split('/').slice(1).map(decodeURIComponent);
  const body = await bodyOf(request);
  const [first = ''] = segments;
  if (STREAMS.has(first)) {
    await stream(database.connections, segments, request, response);
    return;
  }
  const call = { database, readOnly: presented === database.readOnlyToken, format };
  if (first === 'pipeline') await pipeline(call, commandsIn(body), response);
  else if (first === 'multi-exec') await transaction(call, commandsIn(body), response);
  else
    await single(
      call,
      first === '' ? commandIn(body) : commandOfPath(segments, body, url),
      response,
    );
}

type Format = 'json' | 'base64' | 'resp2';

interface Call {
  readonly database: Database;
  readonly readOnly: boolean;
  readonly format: Format;
}

async function single(
  { database, readOnly, format }: Call,
  words: Word[],
  response: ServerResponse,
) {
  const refusal = database.rights.refusalOf(words, readOnly);
  if (refusal !== undefined) throw new Refusal(refusal);
  const [reply] = await database.connections.send([words]);
  if (reply === undefined) throw new Refusal('ERR no reply', 500);
  const status = isError(reply.value) ? 400 : 200;
  if (format === 'resp2') binary(response, status, [reply.bytes]);
  else response.writeHead(status, headers()).end(envelopeOf(reply.value, format === 'base64'));
}

/** Refused commands are answered in their place. */
async function pipeline(
  { database, readOnly, format }: Call,
  rows: Word[][],
  response: ServerResponse,
) {
  const refusals = rows.map((words) => database.rights.refusalOf(words, readOnly));
  const sent = await database.connections.send(
    rows.filter((_, nth) => refusals[nth] === undefined),
  );
  const rest = sent[Symbol.iterator]();
  const replies = refusals.map((refusal) =>
    refusal === undefined ? next(rest) : refused(refusal),
  );
  if (format === 'resp2')
    binary(
      response,
      200,
      replies.map(({ bytes }) => bytes),
    );
  else respondAll(response, replies, format);
}

function next(rest: Iterator<Resp2Reply>): Resp2Reply {
  const { done, value } = rest.next();
  if (done) throw new Refusal('ERR no reply', 500);
  return value;
}

function refused(error: string): Resp2Reply {
  return { value: { error }, bytes: Buffer.from(`-${error}\r\n`) };
}

/** One that is refused discards all. Always JSON. */
async function transaction(
  { database, readOnly, format }: Call,
  rows: Word[][],
  response: ServerResponse,
) {
  for (const words of rows) {
    const refusal = database.rights.refusalOf(words, readOnly);
    if (refusal !== undefined) throw new Refusal(refusal);
  }
  const replies = await database.connections.send([['MULTI'], ...rows, ['EXEC']]);
  const failed = replies.slice(1, -1).find(({ value }) => isError(value));
  const executed = replies.at(-1)?.value ?? null;
  if (failed && isError(failed.value)) throw new Refusal(failed.value.error);
  if (!Array.isArray(executed)) throw new Refusal('EXECABORT Transaction discarded');
  respondAll(
    response,
    executed.map((value) => ({ value, bytes: Buffer.alloc(0) })),
    format,
  );
}

function respondAll(
  response: ServerResponse,
  replies: readonly Resp2Reply[],
  format: Format,
): void {
  const items = replies.map(({ value }) => envelopeOf(value, format === 'base64'));
  response.writeHead(200, headers()).end(`[${items.join(',')}]`);
}

function binary(response: ServerResponse, status: number, pieces: readonly Buffer[]): void {
  response.writeHead(status, { ...headers(), 'Content-Type': 'application/octet-stream' });
  response.end(Buffer.concat(pieces));
}

let moves = 0;

function headers(): Record<string, string> {
  moves += 1;
  return { ...JSON_TYPE, 'upstash-sync-token': moves.toString(32) };
}

function formatOf({ headers: sent }: IncomingMessage): Format {
  const encoding = sent['upstash-encoding'];
  const format = sent['upstash-response-format'] ?? 'json';
  if (format !== 'json' && format !== 'resp2') throw new Refusal('ERR invalid response format');
  if (format === 'json') return encoding === 'base64' ? 'base64' : 'json';
  if (encoding === 'base64') throw new Refusal('ERR base64 is not permitted with resp2');
  return 'resp2';
}

function bearerOf({ headers: { authorization } }: IncomingMessage): string | undefined {
  return /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece);
  return Buffer.concat(pieces);
}
