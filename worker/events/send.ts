/** Takes in events. Spec: workflows.md §5. */
import { GatewayError } from '../../proto/errors.ts';
import { textInPieces } from '../../proto/json-bytes.ts';
import { isHeavierThan } from '../../proto/json-weight.ts';
import type { Pieces } from '../../proto/work/pieces.ts';
import type { Policy } from '../access/policy.ts';
import type { Context } from '../context.ts';
import { dividedInTurn } from '../limits/heavy-work.ts';
import { Accepted } from '../outcome.ts';
import { BASE_PATH, located } from '../public-url.ts';
import type { NewEvent } from './object.ts';
import type { EventsBody } from './schema.ts';

/** Bytes of an event's data. Spec: workflows.md §5. */
const DATA_MAX = 256 * 1024;
/** Longer events are refused by their length alone; a shorter one is parsed, so that the member that is too large is named. */
const EVENT_MAX = 2 * DATA_MAX;
/** An opening brace behind white space. */
const OBJECT = /^[ \t\n\r]*\{/;
/** Bytes in which the first one that is no white space is looked for. */
const BEGINNING = 64;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Refuses a single event by its length alone, before it is parsed. @throws GatewayError PAYLOAD_TOO_LARGE */
export function* weighEvents(bytes: Uint8Array): Pieces<void> {
  if (!OBJECT.test(decoder.decode(bytes.subarray(0, BEGINNING)))) return;
  if (!(yield* isHeavierThan(bytes, EVENT_MAX))) return;
  const message = `is larger than an event of ${DATA_MAX} bytes of data`;
  throw new GatewayError('PAYLOAD_TOO_LARGE', `body: ${message}`, {
    details: [{ path: 'body', message }],
  });
}

/** What a request tells. */
interface SentEvents {
  readonly body: EventsBody;
  readonly bytes: Uint8Array | undefined;
}

/** @param chain runs that led to the request @throws GatewayError PAYLOAD_TOO_LARGE, QUOTA_EXCEEDED */
export async function sendEvents(
  ctx: Context,
  { sealedDataKey }: Policy,
  { body, bytes }: SentEvents,
  chain: number,
): Promise<Accepted> {
  const list = Array.isArray(body) ? body : [body];
  const texts = await dividedInTurn(ctx, bytes?.byteLength ?? 0, dataOf(body));
  const events = list.map(({ source, event, id, time }, at): NewEvent => {
    return {
      source,
      event,
      id: id ?? crypto.randomUUID(),
      time: time ?? new Date(ctx.now()).toISOString(),
      data: texts[at] ?? 'null',
      ...(chain > 0 ? { by: { chain } } : {}),
    };
  });
  const { orgUuid, orgId } = ctx.caller;
  const log = ctx.env.ORGANIZATION_EVENTS.getByName(orgUuid);
  const duplicates = await log.append({ orgUuid, orgId, sealedDataKey }, events);
  if (duplicates === false) {
    throw new GatewayError('QUOTA_EXCEEDED', "The organization's storage is used up");
  }
  const told = events.map(({ id }, at) => ({ id, duplicate: duplicates[at] ?? false }));
  return new Accepted({ events: told }, located(ctx.settings, `${BASE_PATH}/events`), false);
}

/** The data of each event as a text, in pieces. @throws GatewayError PAYLOAD_TOO_LARGE */
function* dataOf(body: EventsBody): Pieces<readonly string[]> {
  const texts: string[] = [];
  for (const [at, { data }] of (Array.isArray(body) ? body : [body]).entries()) {
    const text = yield* textInPieces(data);
    const path = Array.isArray(body) ? `${at}.data` : 'data';
    if (encoder.encode(text).byteLength > DATA_MAX) throw tooLarge(path);
    texts.push(text);
  }
  return texts;
}

function tooLarge(path: string): GatewayError {
  const message = `has more than ${DATA_MAX} bytes`;
  return new GatewayError('PAYLOAD_TOO_LARGE', `${path}: ${message}`, {
    details: [{ path, message }],
  });
}
