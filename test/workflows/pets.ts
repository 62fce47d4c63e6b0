/** The pet store that the public scenarios call, and its login. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The only login that it takes. */
export const LOGIN = { username: 'serverless-workflow', password: 'conformance-test' } as const;

const PETS = [
  { id: 1, name: 'Rex', status: 'available' },
  { id: 2, name: 'Tom', status: 'sold' },
];

/** Starts one on loopback; answers its URL. It ends with the process of the tests. */
export async function startPets(): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // It listens on a port.
}

function answer({ url = '/', headers }: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(url, 'http://pets.test');
  const wanted = (name: 'id' | 'name' | 'status') =>
    PETS.filter((pet) => String(pet[name]) === searchParams.get(name));
  if (pathname === '/basic-auth') {
    const basic = Buffer.from(`${LOGIN.username}:${LOGIN.password}`).toString('base64');
    const authenticated = headers.authorization === `Basic ${basic}`;
    tell(response, authenticated ? 200 : 401, { authenticated });
  } else if (pathname === '/pet/findByStatus') tell(response, 200, wanted('status'));
  else {
    const [pet] = pathname === '/pet' ? wanted('id') : wanted('name');
    tell(response, pet ? 200 : 404, pet ?? { error: 'no such pet' });
  }
}

function tell(response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body);
  response
    .writeHead(status, {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(text),
    })
    .end(text);
}
