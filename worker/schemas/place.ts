/** Where something stands in a JSON value, in dotted notation. */

/** Names of members and indexes of items, from the root on. */
export type Segments = readonly (string | number)[];

const SPECIAL = /[.[\]\\]/g;

/**
 * The dotted notation of a place: `a.b[0].c`; the root is the empty text. Contract §7: `.`, `[`,
 * `]` and `\` in a name are escaped with `\`, an empty name is `\0`.
 */
export function dotted(segments: Segments): string {
  let text = '';
  for (const segment of segments) {
    if (typeof segment === 'number') text += `[${segment}]`;
    else text += `${text === '' ? '' : '.'}${escaped(segment)}`;
  }
  return text;
}

function escaped(name: string): string {
  return name === '' ? '\\0' : name.replace(SPECIAL, '\\$&');
}

/** The same place as a JSON Pointer. RFC 6901. */
export function pointer(segments: Segments): string {
  return segments
    .map((segment) => `/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
}
