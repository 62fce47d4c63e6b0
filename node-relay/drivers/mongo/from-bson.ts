/** The Extended JSON of documents and values that the server sends. */
import { BSON } from 'mongodb';
import { LongText } from '../../../proto/long-text.ts';
import { type Pieces, whole } from '../../../proto/work/pieces.ts';
import { asBuffer } from '../byte-text.ts';
import { BsonWriter, type Form } from './bson-writer.ts';

/** A document's Extended JSON, from its bytes. @throws ReplyFault for bytes that are no document, GatewayError RESULT_TOO_LARGE */
export function documentText(bytes: Uint8Array, form: Form): string {
  return new BsonWriter(asBuffer(bytes), form).document(0, false);
}

/** The same in pieces, of a long document; tests choose shorter ones. */
export function* documentInPieces(
  bytes: Uint8Array,
  form: Form,
  perPiece?: number,
): Pieces<string> {
  const out = new LongText(perPiece);
  yield* new BsonWriter(asBuffer(bytes), form).long(0, false, out);
  return out.pieces.join('');
}

/** The members of a document as Extended JSON, in their order. @throws as `documentText` */
export function memberTexts(bytes: Uint8Array, form: Form): Map<string, string> {
  return whole(membersInPieces(bytes, form));
}

/** The same in pieces, of a long document. */
export function membersInPieces(bytes: Uint8Array, form: Form): Pieces<Map<string, string>> {
  return new BsonWriter(asBuffer(bytes), form).members();
}

/** A value's Extended JSON; bytes are a document's. `undefined` is null. */
export function valueText(value: unknown, form: Form): string {
  if (value === undefined || value === null) return 'null';
  // A Binary is an object of the library's: mere bytes are a document that was not read.
  if (value instanceof Uint8Array) return documentText(value, form);
  if (Array.isArray(value)) return `[${value.map((each) => valueText(each, form)).join(',')}]`;
  const bytes = BSON.serialize({ v: value }, { ignoreUndefined: false });
  return documentText(bytes, form).slice('{"v":'.length, -1);
}
