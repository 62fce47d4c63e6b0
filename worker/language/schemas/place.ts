/** Where something is in a JSON value. */
import { dotted } from '../paths/dotted.ts';
import { pointer } from '../paths/pointer.ts';
import type { Segment, Writing } from '../paths/step.ts';

/** Names of members and indexes of items, from the root on. */
export type Segments = readonly Segment[];

/** In dotted notation: `a.b[0].c`; the root is the empty text. Contract §7. */
export function dottedOf(segments: Segments): string {
  return written(segments, dotted);
}

/** As a JSON Pointer. RFC 6901. */
export function pointerOf(segments: Segments): string {
  return written(segments, pointer);
}

function written(segments: Segments, { top, child }: Writing): string {
  return segments.reduce<string>(child, top);
}
