/** Sizes as people read them. */

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
const FACTOR = 1024;

/** Bytes in the largest unit of at least 1, with at most two decimals: `1.5 KiB`. Spec silent on the unit. */
export function sizeText(bytes: number): string {
  let size = bytes;
  let unit = 0;
  while (size >= FACTOR && unit < UNITS.length - 1) {
    size /= FACTOR;
    unit += 1;
  }
  return `${Math.round(size * 100) / 100} ${UNITS[unit]}`;
}
