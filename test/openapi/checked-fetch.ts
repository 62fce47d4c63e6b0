/** `fetch` to a running gateway, whose every reply is held to the description that the gateway itself serves. */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { type BodyCheck, check } from './check.ts';
import { Description } from './description.ts';

/** By their text: gateways of one build have the same. */
const descriptions = new Map<string, Description>();
/** By origin. */
const served = new Map<string, Promise<Description>>();

/**
 * As `fetch`. A reply whose status or headers the description does not have rejects; a body that it
 * does not have breaks off with the same sentence for every reader.
 * @throws Undescribed
 */
export async function checkedFetch(url: string, init: RequestInit = {}): Promise<Response> {
  await descriptionOf(new URL(url).origin);
  return checkedReply(url, init.method ?? 'GET', await fetch(url, init));
}

/**
 * The same for a reply that came by another way than `fetch`.
 * @throws Undescribed
 */
export async function checkedReply(
  url: string,
  method: string,
  response: Response,
): Promise<Response> {
  const { origin, pathname } = new URL(url);
  const body = check(await descriptionOf(origin), { method, path: pathname }, response);
  return body === undefined ? response : observed(response, body);
}

/** A reply that `node:http` received. */
export function asResponse(message: IncomingMessage): Response {
  const { statusCode = 0, headersDistinct } = message;
  const headers = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  // Node's type of a web stream is not quite the one that Response knows.
  const body = Readable.toWeb(message) as ReadableStream<Uint8Array<ArrayBuffer>>;
  const hasBody = statusCode !== 204 && statusCode !== 304;
  return new Response(hasBody ? body : null, { status: statusCode, headers });
}

/** What the gateway serves at /openapi.json; asked once. */
export function descriptionOf(origin: string): Promise<Description> {
  const known = served.get(origin);
  if (known !== undefined) return known;
  const asked = fetch(`${origin}/openapi.json`).then(async (response) => {
    const text = await response.text();
    const description = descriptions.get(text) ?? new Description(JSON.parse(text));
    descriptions.set(text, description);
    return description;
  });
  served.set(origin, asked);
  // A gateway that was away may be back.
  asked.catch(() => served.delete(origin));
  return asked;
}

/** The same response, whose body is checked on its way. */
function observed(response: Response, body: BodyCheck): Response {
  const { status, statusText, headers } = response;
  if (response.body === null) {
    body.accept('');
    return response;
  }
  const checked = response.body.pipeThrough(watching(body));
  return new Response(checked, { status, statusText, headers });
}

function watching(
  body: BodyCheck,
): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  const decoder = new TextDecoder();
  let text = '';
  return new TransformStream({
    transform(piece, controller) {
      text += decoder.decode(piece, { stream: true });
      if (body.separator !== undefined) text = afterWhole(text, body.separator, body);
      controller.enqueue(piece);
    },
    flush() {
      text += decoder.decode();
      if (body.separator === undefined || text !== '') body.accept(text);
    },
  });
}

/** Checks all pieces that have ended; answers what has not. */
function afterWhole(text: string, separator: string, body: BodyCheck): string {
  const pieces = text.split(separator);
  const rest = pieces.pop() ?? '';
  for (const piece of pieces) body.accept(piece);
  return rest;
}
