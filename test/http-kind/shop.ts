/** A small API for the page of kind `http`: orders that can be listed, read and made. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const TOKEN = 'Bearer s3cr3t';

/** Starts one on loopback, with two orders; answers its URL. It ends with the process of the tests. */
export async function startShop(): Promise<string> {
  const orders: object[] = [
    { id: 1, city: 'Lisbon', total: 19.9 },
    { id: 2, city: 'Porto', total: 5 },
  ];
  const server = createServer((request, response) => {
    void answer(orders, request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`; // It listens on a port.
}

async function answer(
  orders: object[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  response.sendDate = false;
  const pieces: Buffer[] = [];
  for await (const piece of request as AsyncIterable<Buffer>) pieces.push(piece);
  const { method, url = '/', headers } = request;
  const { pathname, searchParams } = new URL(url, 'http://shop.test');
  if (headers.authorization !== TOKEN) return tell(response, 401, { error: 'who are you?' });
  if (pathname === '/v1/orders' && method === 'POST') {
    const body: unknown = JSON.parse(Buffer.concat(pieces).toString());
    const order = { id: orders.length + 1, ...(body as object) }; // The page sends an object.
    orders.push(order);
    return tell(response, 201, order);
  }
  if (pathname === '/v1/orders') {
    const limit = Number(searchParams.get('limit') ?? orders.length);
    return tell(response, 200, { orders: orders.slice(0, limit) });
  }
  return tell(response, 404, { error: 'no such order' });
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
