/**
 * Messages of `Run` as bytes, each written into one buffer that has room for it: the library's
 * writer begins small, grows and copies, which costs more than all else that is done to them. What
 * is out of the ordinary goes to the library.
 * Source: protobuf.dev/programming-guides/encoding.
 */
import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import {
  type CapsSchema,
  RunRequestSchema,
  type RunResponse,
  RunResponseSchema,
  type TargetSchema,
} from './gen/relay/v1/relay_pb.ts';

/** A `RunRequest` before it is a message. */
export type RunRequestParts = MessageInitShape<typeof RunRequestSchema>;
/** A `RunResponse` before it is a message. */
export type RunReply = Pick<RunResponse, 'result' | 'backendUs' | 'collectId'>;
type Target = MessageInitShape<typeof TargetSchema>;
type Caps = MessageInitShape<typeof CapsSchema>;

/** Low bits of a field's key: a number, and what has a length. The field's own number stands above. */
const [VARINT, LENGTH] = [0, 2];
/** The eighth bit of a varint's byte: more follow. */
const MORE = 0x80;
/** Most bytes that a field takes beside its content. */
const HEAD_MAX = 11;
const NOTHING = new Uint8Array();
const NO_CAPS: Caps = {};

/** A `RunRequest` on the wire. */
export function runRequestBytes(parts: RunRequestParts): Uint8Array<ArrayBuffer> {
  const { target, request = NOTHING, sessionId = '', replyForm = '' } = parts;
  const resultMaxBytes = Number(parts.resultMaxBytes ?? 0);
  if (target?.caps === undefined || !Number.isSafeInteger(resultMaxBytes)) return byLibrary(parts);
  const size = targetSize(target);
  const texts = sessionId.length + replyForm.length;
  const filling = new Filling(new Uint8Array(size + request.byteLength + texts + 7 * HEAD_MAX));
  filling.head(1, size);
  fillTarget(filling, target);
  filling.data(2, request);
  filling.number(3, resultMaxBytes);
  filling.number(4, parts.numbersAsStrings === true ? 1 : 0);
  filling.text(5, sessionId);
  filling.number(6, parts.canonical === true ? 1 : 0);
  filling.text(7, replyForm);
  return filling.isAscii ? filling.filled() : byLibrary(parts);
}

function byLibrary(parts: RunRequestParts): Uint8Array<ArrayBuffer> {
  return toBinary(RunRequestSchema, create(RunRequestSchema, parts));
}

/**
 * A `RunResponse` on the wire.
 * @param allocate makes room; what it makes need not be empty
 */
export function runResponseBytes(
  reply: RunReply,
  allocate: (size: number) => Uint8Array<ArrayBuffer>,
): Uint8Array<ArrayBuffer> {
  const { result, backendUs, collectId } = reply;
  const room = result.byteLength + collectId.length + 3 * HEAD_MAX;
  const filling = new Filling(allocate(room));
  filling.data(1, result);
  filling.number(2, Number(backendUs));
  filling.text(3, collectId);
  if (filling.isAscii && Number.isSafeInteger(Number(backendUs))) return filling.filled();
  return toBinary(RunResponseSchema, create(RunResponseSchema, reply));
}

function fillTarget(filling: Filling, target: Target): void {
  filling.text(1, target.kind);
  filling.text(2, target.endpoint);
  filling.text(3, target.poolKey);
  filling.text(4, target.mode);
  filling.text(5, target.profile);
  const { caps = NO_CAPS } = target;
  filling.head(6, capsSize(caps));
  filling.number(1, caps.total);
  filling.number(2, caps.production);
  filling.number(3, caps.development);
  filling.text(7, target.sealedConnection);
}

function targetSize(target: Target): number {
  const { kind, endpoint, poolKey, mode, profile, caps = NO_CAPS, sealedConnection } = target;
  return (
    textSize(kind) +
    textSize(endpoint) +
    textSize(poolKey) +
    textSize(mode) +
    textSize(profile) +
    2 + // The key of `caps`, and its length, which one byte holds.
    capsSize(caps) +
    textSize(sealedConnection)
  );
}

function capsSize({ total, production, development }: Caps): number {
  return numberSize(total) + numberSize(production) + numberSize(development);
}

function textSize(text = ''): number {
  return text === '' ? 0 : 1 + varintSize(text.length) + text.length;
}

function numberSize(value = 0): number {
  return value === 0 ? 0 : 1 + varintSize(value);
}

function varintSize(value: number): number {
  let size = 1;
  for (let left = value; left >= MORE; left = Math.floor(left / MORE)) size += 1;
  return size;
}

/** A buffer that is filled from its start. Fields that hold the value of none are left out, as in proto3. */
class Filling {
  readonly #bytes: Uint8Array<ArrayBuffer>;
  #at = 0;
  /** All bits of all characters. */
  #characters = 0;

  constructor(bytes: Uint8Array<ArrayBuffer>) {
    this.#bytes = bytes;
  }

  /** Whether each character's code is its one byte. */
  get isAscii(): boolean {
    return this.#characters < MORE;
  }

  filled(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#at);
  }

  head(field: number, length: number): void {
    this.#byte((field << 3) | LENGTH);
    this.#varint(length);
  }

  number(field: number, value = 0): void {
    if (value === 0) return;
    this.#byte((field << 3) | VARINT);
    this.#varint(value);
  }

  text(field: number, value = ''): void {
    if (value === '') return;
    this.head(field, value.length);
    for (let index = 0; index < value.length; index += 1) {
      const code = value.charCodeAt(index);
      this.#characters |= code;
      this.#byte(code);
    }
  }

  data(field: number, value: Uint8Array): void {
    if (value.byteLength === 0) return;
    this.head(field, value.byteLength);
    this.#bytes.set(value, this.#at);
    this.#at += value.byteLength;
  }

  #varint(value: number): void {
    let left = value;
    for (; left >= MORE; left = Math.floor(left / MORE)) this.#byte((left % MORE) | MORE);
    this.#byte(left);
  }

  #byte(value: number): void {
    this.#bytes[this.#at] = value;
    this.#at += 1;
  }
}
