/** Reads the bodies of a PostgreSQL server's messages, each within its own bytes. Source: PostgreSQL manual, "Message Formats". */
import { DatabaseError } from 'pg';
import type { FieldValue } from '../../../kinds/postgres/dialect/encode.ts';
import type { Field } from '../../../kinds/postgres/dialect/rows.ts';
import { Unreadable } from '../loss.ts';

/** The server asks for a way to log in that is not known here. */
export class UnknownLogin extends Error {}

const NULL_LENGTH = -1;

/** One message's body. */
class Body {
  readonly #buffer: Buffer;
  readonly #end: number;
  #at: number;

  constructor(buffer: Buffer, at: number, end: number) {
    this.#buffer = buffer;
    this.#at = at;
    this.#end = end;
  }

  get left(): number {
    return this.#end - this.#at;
  }

  bytes(length: number): Buffer {
    if (length > this.left) throw new Unreadable('a value longer than its message');
    this.#at += length;
    return this.#buffer.subarray(this.#at - length, this.#at);
  }

  byte(): number {
    return this.bytes(1).readUInt8();
  }

  int16(): number {
    return this.bytes(2).readInt16BE();
  }

  /** A count, none of which is negative. */
  count(): number {
    return this.bytes(2).readUInt16BE();
  }

  int32(): number {
    return this.bytes(4).readInt32BE();
  }

  uint32(): number {
    return this.bytes(4).readUInt32BE();
  }

  /** Up to a zero. */
  text(): string {
    const end = this.#buffer.indexOf(0, this.#at);
    if (end === -1 || end >= this.#end) throw new Unreadable('a text without an end');
    const text = this.#buffer.toString('utf8', this.#at, end);
    this.#at = end + 1;
    return text;
  }

  /** All that is left. */
  rest(): Buffer {
    return this.bytes(this.left);
  }

  done(): void {
    if (this.left > 0) throw new Unreadable('a message longer than what it holds');
  }
}

/** A message as node-postgres's own parser makes it. */
interface Message {
  readonly name: string;
  readonly [member: string]: unknown;
}

/** Values of one row. Apart from the others, because it is what most messages are. */
export function readRow(buffer: Buffer, from: number, end: number): FieldValue[] {
  if (end - from < 2) throw new Unreadable('a row without a count');
  const count = buffer.readUInt16BE(from);
  // Each takes four bytes, so a count that lies makes no room.
  if (count * 4 > end - from) throw new Unreadable('a row shorter than its count');
  const values: FieldValue[] = new Array(count);
  let at = from + 2;
  for (let index = 0; index < count; index += 1) {
    if (end - at < 4) throw new Unreadable('a row shorter than its count');
    const length = buffer.readInt32BE(at);
    at += 4;
    if (length === NULL_LENGTH) values[index] = null;
    else {
      if (length < 0 || length > end - at) throw new Unreadable('a value longer than its row');
      values[index] = buffer.toString('utf8', at, at + length);
      at += length;
    }
  }
  if (at !== end) throw new Unreadable('a row longer than its values');
  return values;
}

/** Reads any other message. @throws Unreadable, UnknownLogin */
export function readMessage(letter: number, buffer: Buffer, at: number, end: number): Message {
  const read = READERS[String.fromCharCode(letter)];
  if (!read) throw new Unreadable('a message that no server sends');
  const body = new Body(buffer, at, end);
  const message = read(body);
  body.done();
  return message;
}

const bare =
  (name: string) =>
  (body: Body): Message => {
    body.rest();
    return { name };
  };

function authentication(body: Body): Message {
  const code = body.int32();
  switch (code) {
    case 0:
      return { name: 'authenticationOk' };
    case 3:
      return { name: 'authenticationCleartextPassword' };
    case 5:
      return { name: 'authenticationMD5Password', salt: Buffer.from(body.bytes(4)) };
    case 10:
      return { name: 'authenticationSASL', mechanisms: mechanisms(body) };
    case 11:
      return { name: 'authenticationSASLContinue', data: body.rest().toString() };
    case 12:
      return { name: 'authenticationSASLFinal', data: body.rest().toString() };
    default:
      throw new UnknownLogin(`authentication code ${code}`);
  }
}

function mechanisms(body: Body): string[] {
  const names: string[] = [];
  for (let name = body.text(); name !== ''; name = body.text()) names.push(name);
  return names;
}

/** The fields of an error by their letters. Source: "Error and Notice Message Fields". */
const ERROR_FIELDS = {
  S: 'severity',
  C: 'code',
  D: 'detail',
  H: 'hint',
  P: 'position',
  W: 'where',
  s: 'schema',
  t: 'table',
  c: 'column',
  d: 'dataType',
  n: 'constraint',
} as const;

/** A `DatabaseError`, so that a driver knows it by that. */
function refusal(body: Body, name: 'error' | 'notice'): Message {
  const told = new Map<string, string>();
  for (let field = body.byte(); field !== 0; field = body.byte()) {
    told.set(String.fromCharCode(field), body.text());
  }
  const error = new DatabaseError(told.get('M') ?? '', 0, name);
  for (const [letter, member] of Object.entries(ERROR_FIELDS)) {
    const text = told.get(letter);
    if (text !== undefined) Object.assign(error, { [member]: text });
  }
  return error as DatabaseError & Message; // Has a name, and the members that were told.
}

function rowDescription(body: Body): Message {
  const count = body.count();
  const fields: (Field & { readonly format: string })[] = [];
  for (let index = 0; index < count; index += 1) {
    const name = body.text();
    // The table and the column it is of.
    body.bytes(6);
    const dataTypeID = body.uint32();
    // Its size and modifier.
    body.bytes(6);
    if (body.int16() !== 0) throw new Unreadable('values in a form that nobody asked for');
    fields.push({ name, dataTypeID, format: 'text' });
  }
  return { name: 'rowDescription', fields };
}

function parameterDescription(body: Body): Message {
  const dataTypeIDs = Array.from({ length: body.count() }, () => body.uint32());
  return { name: 'parameterDescription', dataTypeIDs };
}

function readyForQuery(body: Body): Message {
  const status = String.fromCharCode(body.byte());
  if (!'ITE'.includes(status)) throw new Unreadable('a state that no transaction has');
  return { name: 'readyForQuery', status };
}

const READERS: { readonly [letter: string]: ((body: Body) => Message) | undefined } = {
  R: authentication,
  S: (body) => ({
    name: 'parameterStatus',
    parameterName: body.text(),
    parameterValue: body.text(),
  }),
  K: (body) => ({ name: 'backendKeyData', processID: body.int32(), secretKey: body.int32() }),
  Z: readyForQuery,
  E: (body) => refusal(body, 'error'),
  N: (body) => refusal(body, 'notice'),
  A: bare('notification'),
  T: rowDescription,
  t: parameterDescription,
  C: (body) => ({ name: 'commandComplete', text: body.text() }),
  d: (body) => ({ name: 'copyData', chunk: body.rest() }),
  G: bare('copyInResponse'),
  H: bare('copyOutResponse'),
  '1': bare('parseComplete'),
  '2': bare('bindComplete'),
  '3': bare('closeComplete'),
  n: bare('noData'),
  s: bare('portalSuspended'),
  c: bare('copyDone'),
  I: bare('emptyQuery'),
};
