/** Reads the body of a delivery: JSON, or a form. Spec: workflows.md §5, `webhook`. */
import { GatewayError } from '../../../proto/errors.ts';
import { type Json, type JsonObject, setMember } from '../../../proto/json.ts';
import { CHAIN_HEADER } from '../../calls/chain.ts';
import type { Context, PublicContext } from '../../context.ts';
import { PEER_HEADER } from '../../http/address.ts';
import { parseBodyAsWritten, parseBodyAsWrittenInPieces } from '../../http/body.ts';
import { inItsTurn, inPieces, isLarge, isLight } from '../../limits/heavy-work.ts';

/** Fields of a form. Spec silent. */
const FIELDS_MAX = 10_000;
const FORM = 'application/x-www-form-urlencoded';
const PARTS = 'multipart/form-data';
/** Headers that are between us and what is in front of us. */
const INNER = [PEER_HEADER.toLowerCase(), CHAIN_HEADER];

type Of = PublicContext & Pick<Context, 'place'>;

/**
 * The value of a body: of a form an object from a field's name to its text, or to a list of texts
 * where it came more than once; of a file `{filename, type, content: {$bytes}}`.
 * @throws GatewayError BAD_REQUEST for an empty one and for what does not read, UNSUPPORTED_MEDIA_TYPE
 */
export async function readDelivery(
  ctx: Of,
  type: string | null,
  bytes: Uint8Array | undefined,
): Promise<Json> {
  if (bytes === undefined || bytes.byteLength === 0) throw bad('is empty: send JSON, or a form');
  const [name = '', ...parameters] = (type ?? 'application/json').split(';');
  const media = name.trim().toLowerCase();
  if (media !== PARTS) demandUtf8(parameters);
  if (media === FORM) return inItsTurn(ctx, bytes.byteLength, () => formOf(bytes));
  if (media === PARTS) return partsOf(type ?? '', bytes);
  if (media !== 'application/json' && !/^application\/[\w.+-]+\+json$/.test(media)) {
    const message = `Send the body as application/json, ${FORM} or ${PARTS}`;
    throw new GatewayError('UNSUPPORTED_MEDIA_TYPE', message);
  }
  const value = isLight(bytes)
    ? parseBodyAsWritten(bytes)
    : await inPieces(ctx, parseBodyAsWrittenInPieces(bytes), {
        place: ctx.place,
        isLarge: isLarge(bytes.byteLength),
      });
  return value ?? null;
}

/** Headers by their names in lower case. */
export function headersOf({ headers }: Request): JsonObject {
  const object: JsonObject = {};
  for (const [name, value] of headers) if (!INNER.includes(name)) setMember(object, name, value);
  return object;
}

/** Parameters of the query string, as a form's fields. */
export function queryOf({ url }: Request): JsonObject {
  return collected(new URL(url).searchParams);
}

/** @throws GatewayError BAD_REQUEST */
function demandUtf8(parameters: readonly string[]): void {
  for (const each of parameters) {
    const [name = '', value = ''] = each.split('=').map((part) => part.trim());
    const charset = value.replaceAll('"', '');
    if (name.toLowerCase() !== 'charset' || /^(?:utf-?8|us-ascii)$/i.test(charset)) continue;
    throw bad(`is in ${charset.slice(0, 40)}: send it in UTF-8`);
  }
}

function formOf(bytes: Uint8Array): JsonObject {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    throw bad('is not UTF-8');
  }
  // Counted before they are made: each takes a hundred times as much as its text.
  let fields = 0;
  for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', at + 1)) {
    fields += 1;
    if (fields >= FIELDS_MAX) throw tooMany();
  }
  return collected(new URLSearchParams(text));
}

async function partsOf(type: string, bytes: Uint8Array): Promise<JsonObject> {
  const headers = { 'Content-Type': type };
  const form = await new Response(bytes, { headers }).formData().catch(() => {
    throw bad('is no form as multipart/form-data has it');
  });
  const fields: [name: string, value: Json][] = [];
  for (const [name, value] of form) {
    if (fields.length === FIELDS_MAX) throw tooMany();
    fields.push([name, typeof value === 'string' ? value : await fileOf(value)]);
  }
  return collected(fields);
}

async function fileOf(file: File): Promise<JsonObject> {
  const content = base64Of(new Uint8Array(await file.arrayBuffer()));
  return { filename: file.name, type: file.type, content: { $bytes: content } };
}

/** Characters that one call of `fromCharCode` takes: a multiple of three. */
const STEP = 3 * 1024;

function base64Of(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.byteLength; at += STEP) {
    text += btoa(String.fromCharCode(...bytes.subarray(at, at + STEP)));
  }
  return text;
}

/** What comes once is itself, what comes more than once a list. */
function collected(fields: Iterable<readonly [name: string, value: Json]>): JsonObject {
  const lists = new Map<string, Json[]>();
  for (const [name, value] of fields) {
    const list = lists.get(name);
    if (list) list.push(value);
    else lists.set(name, [value]);
  }
  const object: JsonObject = {};
  for (const [name, list] of lists) {
    const [first = null] = list;
    setMember(object, name, list.length === 1 ? first : list);
  }
  return object;
}

function tooMany(): GatewayError {
  return bad(`has more than ${FIELDS_MAX} fields`);
}

function bad(problem: string): GatewayError {
  return new GatewayError('BAD_REQUEST', `The body ${problem}`, {
    details: [{ path: 'body', message: problem }],
  });
}
