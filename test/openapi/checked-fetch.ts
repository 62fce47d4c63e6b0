/** `fetch` to a running gateway, whose every reply is held to the description that the gateway itself serves. */
import { type BodyCheck, check } from './check.ts';
import { Description } from './description.ts';

/** By their text: gateways of one build have the same. */
const descriptions = new Map<string, Description>();
/** By origin. */
const served = new Map<string, Promise<Description>>();

/**
 * As `fetch`. A reply whose status or headers the description does not have rejects; a body that it
 * does not have breaks off with the same sentence, whoever reads it.
 * @throws Undescribed
 */
export async function checkedFetch(url: string, init: RequestInit = {}): Promise<Response> {
  const { origin, pathname } = new URL(url);
  const description = await descriptionOf(origin);
  const response = await fetch(url, init);
  const asked = { method: init.method ?? 'GET', path: pathname };
  const body = check(description, asked, response);
  return body === undefined ? response : observed(response, body);
}

/** What the gateway serves at /openapi.json; asked once. */
export function descriptionOf(origin: string): Promise<Description> {
  const known = served.get(origin);
  if (known) return known;
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
      if (body.inLines) text = afterWholeLines(text, body);
      controller.enqueue(piece);
    },
    flush() {
      if (!body.inLines || text !== '') body.accept(text + decoder.decode());
    },
  });
}

/** Checks all lines that have ended; answers what has not. */
function afterWholeLines(text: string, body: BodyCheck): string {
  const lines = text.split('\n');
  const rest = lines.pop() ?? '';
  for (const line of lines) body.accept(line);
  return rest;
}
