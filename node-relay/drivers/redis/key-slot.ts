/** The slot of a cluster that a key is in. Source: redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec, "Key distribution model". */

/** Slots of every cluster. */
export const SLOTS = 16_384;

const OPENING = 0x7b;
const CLOSING = 0x7d;

/** CRC16 of XMODEM, by byte. */
const TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8;
  for (let bit = 0; bit < 8; bit += 1) crc = (crc & 0x8000) === 0 ? crc << 1 : (crc << 1) ^ 0x1021;
  return crc & 0xffff;
});

/** Of a key with a part in braces, only that part counts. */
export function slotOf(key: Uint8Array): number {
  const opening = key.indexOf(OPENING);
  const closing = opening < 0 ? -1 : key.indexOf(CLOSING, opening + 1);
  const isTagged = closing > opening + 1;
  const [from, to] = isTagged ? [opening + 1, closing] : [0, key.length];
  let crc = 0;
  for (let at = from; at < to; at += 1) {
    crc = ((crc << 8) ^ (TABLE[((crc >> 8) ^ (key[at] ?? 0)) & 0xff] ?? 0)) & 0xffff;
  }
  return crc % SLOTS;
}
