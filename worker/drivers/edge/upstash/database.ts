/**
 * The line to Upstash. Its own client, @upstash/redis, makes the requests of single commands; its
 * HTTP client is replaced, for it parses integers with loss, sends a failed request up to five more
 * times though it may write, and reaches the network by itself. Many commands at once go by the
 * same replacement directly: the client's pipelines take none but the commands it knows.
 */
import { resultTooLarge } from '../../../../kinds/redis/dialect/result.ts';
import type { ReplyValue } from '../../../../kinds/redis/reply-value.ts';
import type { Call } from '../../../../proto/driver.ts';
import { GatewayError } from '../../../../proto/errors.ts';
import { GatheredBytes } from '../../../../proto/gathered-bytes.ts';
import { type EdgeHost, Lost } from '../driver.ts';
import { networkFailure } from '../network-failure.ts';
import type { PathCommand } from './binary.ts';
import { repliesIn } from './replies.ts';
import type { Settings } from './settings.ts';

type Replies = ReplyValue | readonly ReplyValue[];

/** In base64, four characters stand for three bytes; JSON adds some. */
const WIRE_RATIO = 1.5;
const ENVELOPES_BYTES = 65_536;

/** One database at the vendor. */
export class UpstashDatabase {
  readonly #settings: Settings;
  readonly #host: EdgeHost;

  constructor(settings: Settings, host: EdgeHost) {
    this.#settings = settings;
    this.#host = host;
  }

  /**
   * One command; a server's error is a `ReplyError`.
   * @throws GatewayError CONNECTION_FAILED, SERVICE_UNAVAILABLE, RESULT_TOO_LARGE, what `EdgeHost.fetch` throws
   */
  async command([name = '', ...args]: readonly string[], call: Call): Promise<ReplyValue> {
    // Evaluated with the first command to any database, not when the worker starts.
    const { Redis } = await import('@upstash/redis/cloudflare');
    const redis = new Redis({
      ...this.#settings,
      retry: false,
      enableTelemetry: false,
      automaticDeserialization: false,
      readYourWrites: false,
    });
    // The client hands on what it is given here as the command's result, whatever that is.
    redis.use(async <Result>({ body }: { body?: unknown }) => {
      const reply = await this.#send('', JSON.stringify(body), call);
      return { result: { reply } as Result };
    });
    const { reply } = await redis.exec<{ reply: ReplyValue }>([name, ...args]);
    return reply;
  }

  /** One command with a binary word. @throws GatewayError as `command` */
  async binary({ path, query, body }: PathCommand, call: Call): Promise<ReplyValue> {
    // Of one command there is one reply; a list of them would be one, too.
    return (await this.#send(path + query, body, call)) as ReplyValue;
  }

  /**
   * Many commands: one reply for each, in their order; or the error that refused all.
   * @throws GatewayError as `command`
   */
  async commands(
    path: '/pipeline' | '/multi-exec',
    rows: readonly (readonly string[])[],
    call: Call,
  ): Promise<readonly ReplyValue[] | ReplyValue> {
    return this.#send(path, JSON.stringify(rows), call);
  }

  /**
   * Server-sent events, or the error instead of them.
   * @param path escaped
   * @throws GatewayError as `command`
   */
  async events(path: string, call: Call): Promise<ReadableStream<Uint8Array> | Replies> {
    const response = await this.#fetch(path, '[]', call.signal, { Accept: 'text/event-stream' });
    if (response.status === 200 && response.body) return response.body;
    return this.#read(response, call);
  }

  async #send(path: string, body: string | Uint8Array, call: Call): Promise<Replies> {
    const response = await this.#fetch(path, body, call.signal, { 'Upstash-Encoding': 'base64' });
    return this.#read(response, call);
  }

  #fetch(
    path: string,
    body: string | Uint8Array,
    signal: AbortSignal,
    headers: Readonly<Record<string, string>>,
  ): Promise<Response> {
    const { url, token } = this.#settings;
    const type = typeof body === 'string' ? 'application/json' : 'application/octet-stream';
    return this.#host.fetch(
      new Request(url + path, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': type, ...headers },
        body,
        signal,
        redirect: 'manual',
      }),
    );
  }

  async #read(response: Response, call: Call): Promise<Replies> {
    const { status } = response;
    if (status !== 200 && status !== 400) throw await refused(response);
    const replies = repliesIn(await bodyText(response, call));
    if (replies === undefined) throw strange();
    return replies;
  }
}

async function bodyText(response: Response, call: Call): Promise<string> {
  const maxBytes = call.resultMaxBytes * WIRE_RATIO + ENVELOPES_BYTES;
  const gathered = new GatheredBytes();
  try {
    for await (const piece of response.body ?? []) {
      if (gathered.length + piece.byteLength > maxBytes) throw resultTooLarge(call);
      gathered.add(piece);
    }
  } catch (cause) {
    throw networkFailure(cause, call.signal);
  }
  return new TextDecoder().decode(gathered.take());
}

/** What a status other than a reply's stands for. */
async function refused(response: Response): Promise<GatewayError> {
  const { status } = response;
  await response.body?.cancel();
  if (status === 401 || status === 403) {
    return new GatewayError(
      'CONNECTION_FAILED',
      'Password authentication failed: Upstash refuses the token',
    );
  }
  if (status === 429) {
    return new GatewayError(
      'SERVICE_UNAVAILABLE',
      'Upstash has a limit of requests, which is reached',
      {
        retryAfter: 1,
      },
    );
  }
  // What is between may have sent it on before it failed.
  if (status >= 500) return new Lost('CONNECTION_FAILED', 'Upstash could not answer');
  return strange();
}

/** What came is no reply. */
export function strange(): GatewayError {
  return new Lost('CONNECTION_FAILED', "The server does not speak Upstash's REST protocol");
}
