/** Requests as they are, to any server of Upstash's protocol. */
import { request } from 'node:http';

/** What to ask besides the URL. */
export interface Asking {
  /** POST where there is a body, else GET. */
  readonly method?: string;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** What came back, whole. */
interface Answer {
  readonly status: number;
  readonly body: string;
}

/** One request; bytes that are no text are one character each. */
export async function ask(url: string, asking: Asking = {}): Promise<Answer> {
  const { method = asking.body === undefined ? 'GET' : 'POST', token, headers, body } = asking;
  const authorization = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers: { ...authorization, ...headers } }, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('error', reject);
      response.on('end', () => {
        const isBinary = response.headers['content-type'] === 'application/octet-stream';
        const text = Buffer.concat(pieces).toString(isBinary ? 'latin1' : 'utf8');
        resolve({ status: response.statusCode ?? 0, body: text });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
