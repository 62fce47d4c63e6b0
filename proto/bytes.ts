/** Bytes as hexadecimal digits and as base64, the same in both programs. */

type Encoding = 'hex' | 'base64';

/** The part of Node's Buffer that is used. The edge runtime has it as a global too, many times as fast as loops over characters. */
interface Bytes {
  from(text: string, encoding: Encoding): Uint8Array<ArrayBuffer>;
  from(bytes: ArrayBufferLike, offset: number, length: number): { toString(to: Encoding): string };
}
// What both programs share is compiled with the types of either.
const { Buffer: NodeBytes } = globalThis as unknown as { readonly Buffer: Bytes };

/** Two lower-case digits a byte. */
export function hexOf(bytes: Uint8Array): string {
  return written(bytes, 'hex');
}

/** Bytes of an even number of digits, of either case. */
export function bytesOfHex(digits: string): Uint8Array<ArrayBuffer> {
  return NodeBytes.from(digits, 'hex');
}

/** With padding. */
export function base64Of(bytes: Uint8Array): string {
  return written(bytes, 'base64');
}

/** Bytes of base64 in either alphabet, padded or not; a last character alone holds no byte. */
export function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> {
  return NodeBytes.from(text, 'base64');
}

function written({ buffer, byteOffset, byteLength }: Uint8Array, encoding: Encoding): string {
  return NodeBytes.from(buffer, byteOffset, byteLength).toString(encoding);
}
