/** CRC-32 as in ISO 3309 and gzip, which secret scanners compute over keys. RFC 1952 §8. */

/** Reversed polynomial. */
const POLYNOMIAL = 0xedb88320;

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = ((value & 1) * POLYNOMIAL) ^ (value >>> 1);
  return value;
});

/** The checksum of bytes, from 0 to 2^32 - 1. */
export function crc32(bytes: Uint8Array): number {
  let value = 0xffffffff;
  for (const byte of bytes) value = (TABLE[(value ^ byte) & 0xff] ?? 0) ^ (value >>> 8);
  return (value ^ 0xffffffff) >>> 0;
}
