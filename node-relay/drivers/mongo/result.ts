/** Results as JSON text, bounded while they arrive. Contract §6. */
import type { AbstractCursor } from 'mongodb';
import { type ErrorDetails, GatewayError } from '../../../proto/errors.ts';
import { inTurnOf } from '../long-rows.ts';
import type { Execution } from './database.ts';
import {
  documentInPieces,
  documentText,
  membersInPieces,
  memberTexts,
  valueText,
} from './from-bson.ts';
import { ReplyFault } from './reply-fault.ts';

/** Bytes of a document that is written at once. Most are far shorter. */
const AT_ONCE_BYTES = 512 * 1024;

/** A reply of one member. */
export function memberText(name: string, value: unknown, { form }: Execution): string {
  return `{${JSON.stringify(name)}:${valueText(value, form)}}`;
}

/** A reply of one member: one of the server's reply, whose members keep their order; else what the driver made of it. */
export async function repliedText(
  name: string,
  member: string,
  made: unknown,
  execution: Execution,
): Promise<string> {
  const reply = execution.reply();
  const text = reply && (await replyMembers(reply, execution)).get(member);
  return text === undefined
    ? memberText(name, made, execution)
    : `{${JSON.stringify(name)}:${text}}`;
}

/** The members of a server's reply, of a long one in pieces and in turn. */
export async function replyMembers(
  reply: Uint8Array,
  { call, form }: Execution,
): Promise<Map<string, string>> {
  return reply.byteLength > AT_ONCE_BYTES
    ? inTurnOf(call, membersInPieces(reply, form))
    : memberTexts(reply, form);
}

/** A reply of several members, each value as BSON has it; plain numbers are counts. */
export function membersText(
  members: Readonly<Record<string, unknown>>,
  { form }: Execution,
): string {
  const texts = Object.entries(members).map(([name, value]) => {
    const text = typeof value === 'number' ? String(value) : valueText(value, form);
    return `${JSON.stringify(name)}:${text}`;
  });
  return `{${texts.join(',')}}`;
}

/** A count in a reply, which may be a BSON number. @throws ReplyFault for what is no count */
export function countOf(value: unknown): number {
  const count = Number(value);
  if (Number.isSafeInteger(count) && count >= 0) return count;
  throw new ReplyFault('A count of the reply is none');
}

/** Values by their positions. */
export function byPlace(
  values: readonly (readonly [place: number, value: unknown])[],
  { form }: Execution,
): string {
  return `{${values.map(([place, value]) => `"${place}":${valueText(value, form)}`).join(',')}}`;
}

/** The text of a document that a cursor read: bytes, or what the driver has made of them. Of a long one it is written in pieces and in turn. */
export function readText(document: unknown, { call, form }: Execution): string | Promise<string> {
  if (!(document instanceof Uint8Array)) return valueText(document, form);
  if (document.byteLength <= AT_ONCE_BYTES) return documentText(document, form);
  return inTurnOf(call, documentInPieces(document, form));
}

/** All documents of a cursor, which is closed. @param isOpen whether it stays open at the end of what there is @throws GatewayError RESULT_TOO_LARGE */
export async function documentsText(
  execution: Execution,
  cursor: AbstractCursor<unknown>,
  isOpen: boolean,
): Promise<string> {
  const texts: string[] = [];
  let left = execution.call.resultMaxBytes - '{"documents":[]}'.length;
  try {
    for await (const document of isOpen ? untilEmpty(cursor) : cursor) {
      const read = readText(document, execution);
      const text = typeof read === 'string' ? read : await read;
      left -= Buffer.byteLength(text) + 1;
      // The first has no comma before it.
      if (left < -1) throw resultTooLarge(execution);
      texts.push(text);
    }
  } finally {
    await cursor.close();
  }
  return `{"documents":[${texts.join(',')}]}`;
}

/** The next document, or null at the end: of a cursor that stays open, at the first batch without one. */
export async function nextOf(cursor: AbstractCursor<unknown>, isOpen: boolean): Promise<unknown> {
  if (!isOpen) return (await cursor.hasNext()) ? cursor.next() : null;
  return cursor.closed && cursor.bufferedCount() === 0 ? null : cursor.tryNext();
}

async function* untilEmpty(cursor: AbstractCursor<unknown>): AsyncGenerator<unknown> {
  for (;;) {
    const document = await nextOf(cursor, true);
    if (document === null) return;
    yield document;
  }
}

/** A reply's bytes. @throws GatewayError RESULT_TOO_LARGE; of a write `details` say that it is applied */
export function boundedBytes(text: string, execution: Execution, wrote: boolean): Buffer {
  const bytes = Buffer.from(text);
  if (bytes.byteLength > execution.call.resultMaxBytes) throw resultTooLarge(execution, wrote);
  return bytes;
}

/** What is larger than a result may be; of a write `details` say that it is applied. */
export function resultTooLarge({ call, place }: Execution, wrote = false): GatewayError {
  const message = `The result is larger than ${call.resultMaxBytes} bytes; read it as application/x-ndjson, or in parts`;
  const details: ErrorDetails[] =
    wrote && place !== 'transaction'
      ? [
          {
            source: 'mongo',
            code: 'RESULT_TOO_LARGE',
            message: 'The write took effect',
            applied: true,
          },
        ]
      : [];
  return new GatewayError('RESULT_TOO_LARGE', message, { details });
}
